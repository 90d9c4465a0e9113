# The list of own games: its name, and the text of an empty list.
menu-own-games = My games
no-own-games = No finished games to show. Each game that you finish is kept.

# Headings of the list: date, opponent, result, number of moves.
column-date = Date
column-opponent = Opponent
column-result = Result
column-moves = Moves
own-game-result =
    .won = won
    .lost = lost
    .draw = draw
    .x_won = X won
    .o_won = O won

# Help below the list in line mode.
own-games-help = Type a number to see a game; then link or save FILE exports it. profile N: the opponent's profile. d N: delete a game. q: leave.

# Number of own games, in the log.
own-games-number = Own games: { $count }.
damaged-own-games = { $files ->
        [one] A file in { $folder } is not a game. It stays there.
       *[other] { $files } files in { $folder } are not games. They stay there.
    }
game-not-kept = This game is not kept among your games: { $error }.
own-games-failed = Cannot read or change your games: { $error }.
cannot-list-own-games = cannot read your games

# Printed when the program ends: how the last game has ended, and the file with its record.
kept-game = { $result } Record: { $path }

# Heading of the games that the server has and this computer has not.
only-on-server = Only on the server

# The profile of a player: title, numbers of games, heading of the latest games.
profile-of = Profile of { $name }
profile-total = Games: { $count }. Won { $won }, drawn { $drawn }, lost { $lost }.
profile-game = { $game }: won { $won }, drawn { $drawn }, lost { $lost }
profile-against = Your games against this player: { $won } won, { $drawn } drawn, { $lost } lost.
profile-since = Since { $date }; at most 1,000 games are counted.
profile-latest = Latest games
profile-asked = Asking { $server }
profile-not-answered = { $server } cannot send this now. Try again later.
