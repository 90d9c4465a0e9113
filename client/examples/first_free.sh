#!/bin/sh
# Plays the first free cell on its turn and leaves when the game is over: a program on top of the JSON mode of noughts,
# which client/JSON.md describes. Needs noughts in PATH. All arguments go to noughts play.
#
#   client/examples/first_free.sh 127.0.0.1:7878 --rules 4x4:4
pipe=$(mktemp -d) && mkfifo "$pipe/commands" || exit 1
noughts play --ui json "$@" <"$pipe/commands" | {
    exec 3>"$pipe/commands" && rm -r "$pipe"
    while read -r line; do
        case $line in
        *'"event":"over"'*) echo '{"do":"quit"}' >&3 ;;
        *'"your_move":true'*)
            echo "$line" | sed 's/.*"free":\["\([^"]*\)".*/{"do":"move","cell":"\1"}/' >&3 ;;
        esac
    done
}
