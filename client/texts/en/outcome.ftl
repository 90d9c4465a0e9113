# States who won and how, from the point of view of the reader.
result-with-line = { $reason } { $line }
# Stands between the cells of a line.
cell-separator = -

# Follows the name of a line: "Row a1-b1-c1."
line-cells = {" "}{ $cells }.
draw-full = Draw: the board is full.
draw-agreed = Draw by agreement.
aborted = The game was aborted.
draw-abandoned = Draw: a player did not reconnect.
you-win-resigned = You win: { $other } resigned.
you-resigned-to = You resigned: { $name } wins.
wins-resigned = { $wins }: { $other } resigned.
you-win-on-time = You win on time.
you-lost-on-time = You lost on time.
wins-on-time = { $wins } on time.
you-win-abandoned = You win: { $other } did not reconnect.
you-lost-abandoned = You lost: you did not reconnect.
wins-abandoned = { $wins }: { $other } did not reconnect.

# States who completed a line, as a sentence.
you-win = You win!
you-lost-to = You lost: { $name } wins.

# States who won a misere game, which the player of a complete line loses.
you-win-misere = You win: { $other } completed a line.
you-lost-misere = You lost: you completed a line.
wins-misere = { $wins }: { $other } completed a line.

# Tells a spectator who won, without a period.
wins = { $name } ({ $seat }) wins
