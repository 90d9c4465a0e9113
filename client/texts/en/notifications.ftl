# What happens, as one or two sentences in the log and in line mode.
connecting-to = Connecting to { $server }.
connected-as = Connected as { $name }.
reconnecting = Connection lost: { $why }. Reconnecting in { $wait }.
reconnected = Reconnected.
room-unavailable = This room no longer exists on the server.
server-restarting = The server is restarting; back in { $wait }.
operator-announcement = Message of the operator: { $text }
seeking = Waiting for an opponent: { $game }.
nobody-came = Nobody has come yet. Type "bot" to play a bot meanwhile.
waiting-in-room = Waiting in your room: { $game }.
watch-with = To watch: { $command }
starting-bot = Starting a bot ({ $level }) ...
empty-seat = empty ({ $seat })
role-player = You are { $seat }
role-spectator = Watching
joined = { $role }: { $x } vs { $o }, { $game }.{ $next }
rooms-and-seeks = Rooms: { $rooms }. Looking for an opponent: { $seeks }.
seated = { $name } joined and plays { $seat }.
you-moved = { $name } play { $cell }.{ $next }
moved = { $name } plays { $cell }.{ $next }

# $next is empty, or a sentence with its blank: " Your move."
taken-back = { $plies ->
        [one] Move taken back.{ $next }
       *[other] { $plies } moves taken back.{ $next }
    }
game-over = { $outcome } Score: { $score }.
line-mode-hint = Type a cell to play, b to see the board, help for all commands.
play-again = Play again? y or n.
claimable = { $name } did not reconnect. On { $name }'s turn, type "claim win" or "claim draw".
said = { $who }: { $phrase }
opponent-found = { $name } is here. Leaving for that game ends this one without a result: q.
copied = Copied, if your terminal allows it.
copied-without-server = Copied, if your terminal allows it. The link has no address: put the address of a server's page before it, or open it with noughts analyse.
game-link = Link to this game: { $link }
link-without-game = The link contains no game: { $error }.
phrases-hidden = Phrases are hidden.
phrases-shown = Phrases are shown.
evaluates = { $who } evaluates: { $evaluation }.
both-seats-taken = Both seats are taken. To watch: noughts watch CODE, with the code of the room.
no-such-room = No such room. Check the code.
opponent-has-left = Your opponent has left.
rejected = Rejected: { $why }.
input-ended = End of input: leaving the game.
substitute-called = Waiting for a bot of the server ...
bot-failed = The bot could not join.
record-players = { $x } (X) vs { $o } (O).
goodbye = Goodbye.
settings-saved-to = Settings saved to { $path }.
file-saved-to = Game saved to { $path }.
cannot-write-file = Cannot write { $path }: { $error }.
cannot-read-file = Cannot read { $path }: { $error }.

# The player has left a game in progress.
left-and-resigned = You have left the game and resigned.
left-without-result = You have left the game. It has no result.
