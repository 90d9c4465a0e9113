# A game without a name in a list, where columns are few: "6x6, 4 in a row, falling".
unnamed-rules = { $size }, { $count } in a row

# The length of a line, for games whose size is known or follows from the name.
short-line = { $count } in a row
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

# States in one line how a game is won: `marks fall, four in a row wins`. A part before a comma may be left out.
rule-misere = whoever makes { $row } loses
rule-exact = exactly { $row } in a row wins
rule-line-wins = { $row } in a row wins
rule-with-clause = { $line }, { $clause }
rule-clause =
    .gravity = marks fall
    .torus = edges meet

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

# What a flag adds to a game, in the line on the game, and with a capital letter at its switch.
page-gravity = { rule-clause.gravity }
page-exact = longer lines do not count
page-torus = { rule-clause.torus }
