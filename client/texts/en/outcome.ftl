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

# A game without a name in a list, where columns are few: "6x6, 4 in a row, falling".
unnamed-rules = { $size }, { $count } in a row
short-flag =
    .gravity = falling
    .misere = loses
    .exact = exactly
    .torus = torus
short-separator = ,{" "}
custom-rules = Custom { $size }

# A game without a name within a sentence: "6x6, four in a row wins".
rules-without-name = { $size }, { $line }
row-length = { $count ->
        [one] { $count }
        [2] two
        [3] three
        [4] four
        [5] five
       *[other] { $count }
    }

# States in one line how a game is won: `pieces fall, four in a row wins`. A part before a comma may be left out.
rule-misere = whoever makes { $row } loses
rule-exact = exactly { $row } in a row wins
rule-line-wins = { $row } in a row wins
rule-gravity = { $line }, pieces fall
rule-torus = { $line }, edges meet

# The last entry of the list of games, and what to type for it.
custom-game-entry = Custom ...
custom-game-hint = type its sizes, such as 9x9:5

rules =
    .tictactoe = tic-tac-toe
    .misere = misere tic-tac-toe
    .connect4 = Connect Four
    .gomoku = Gomoku
    .gomoku19 = { rules.gomoku }
    .gomoku-exact = Gomoku (exactly five)
    .tictactoe3d = 3-D tic-tac-toe
    .score4 = Score Four
    .tesseract = 4-D tic-tac-toe
    .torus4 = torus tic-tac-toe
    .qubic = { "Qubic" }
