# Describes the program in one sentence.
about = Play tic-tac-toe, Gomoku, Connect Four and other k-in-a-row games in a terminal.

# Describes the program without a subcommand.
about-home = Without a command, opens the home screen.

# Below the help. 1 to 101 are numbers of exit codes.
help-footer =
    Games: { $games }, or a size and a line length: { $sizes }.
    
    Exit codes: 0 success (whoever won); 1 system error; 2 usage error; 3 cannot connect; 4 rejected by the server; 5 connection lost; 101 internal error; 128+n ended by signal n.

# Describes a subcommand.
command =
    .play = Play on a server: find an opponent, invite a friend, or play a bot
    .join = Join a game by code, id or address
    .continue = Resume an interrupted game
    .watch = Watch a game, or several side by side
    .list = List public rooms and players looking for an opponent
    .bot = Run a bot on a server
    .arena = Let bots and programs play matches, and estimate Elo
    .engine = Run as an engine (Gomocup or UGI) on stdin/stdout
    .mcp = Let an assistant play, by the Model Context Protocol on stdin/stdout
    .local = Play on this computer, offline
    .puzzle = Solve the puzzle of the day
    .games = List your finished games
    .identity = Show, import or forget the identity by which servers recognise you
    .analyse = Analyse a game record
    .config = Show the settings and the path of their file
    .doctor = Diagnose terminal, settings and connection
    .completions = Print a completion script for a shell
    .man = Print the manual page
    .help = Print this help or the help of a command
heading-usage = Usage
heading-commands = Commands
heading-arguments = Arguments
heading-options = Options
heading-global-options = Global options

# Placeholders for options and subcommand in a usage line.
placeholder-options = OPTIONS
placeholder-command = COMMAND

# Lists the possible values behind an argument's help.
possible-values = [possible values: { $choices }]

# Names the default behind an argument's help.
default-value = [default: { $value }]

# Names the environment variable behind an argument's help.
env-variable = [env: { $name }]

# Translates a section heading of the manual page.
manual-section =
    .NAME = NAME
    .SYNOPSIS = SYNOPSIS
    .DESCRIPTION = DESCRIPTION
    .EXTRA = EXTRA
    .VERSION = VERSION

# Describes an argument.
flag =
    .lang = Language: en, ru, zh-Hans or zh-Hant [default: from the locale]
    .ui = Interface: full screen, line by line, or JSON; auto picks one to suit the terminal
    .theme = Colour theme (colour is never the only cue); NO_COLOR means high-contrast
    .bell = Alert when it is your turn and the window is in the background
    .phrases = Show or hide the phrases of other players
    .doctor_address = Server to test
    .config = Settings file [default: platform config directory]
    .query = path: where the file is; show: effective settings and their source
    .glyphs = Characters for the grid; auto asks the terminal
    .digits = Layout of the number keys on small boards: reading puts 1 2 3 in the top row, numpad puts 7 8 9 there
    .board = Print the board at each turn in line mode; auto prints it at a terminal
    .motion = Show falling marks and winning lines in motion; auto: not over ssh
    .ca = Additional CA certificate to trust (PEM)
    .state_dir = Directory for finished and resumable games [default: platform state directory]
    .log = Write a log to this file
    .server = Server: host, host:port or ws://host:port/ws
    .address = The same as --server SERVER
    .name = Your name [default: user name, or a drawn name]
    .rules = Game: a name, or a size and a line length such as 15x15:5
    .clock = Time per side: minutes+seconds per move
    .seat = Side to play; X goes first
    .private = Open a private room and wait for a friend to join by code
    .public = Open a public room and wait for an opponent
    .vs = Play against a bot, or anybody: people and bots [default: people]
    .is_bot = Label the player as a bot, for programs that play by --ui json
    .invite = Code or id of the room, or ws://host:port/ws#CODE
    .tv = Continue with the next running game of the server when a game is over
    .invites = Codes or ids of the rooms, or ws://host:port/ws#CODE; up to six
    .x = Player of X: a name, bot[:LEVEL], or a program: plain:, ugi: or gomocup: and its command
    .o = Player of O, as for X
    .first = Who goes first: X, or random
    .room = Room [default: newest]
    .file = Record file, or a link to a game
    .opponent = Only games against a player with this text in the name
    .action = show: the text for another device; import: reads the text of another device; forget; alias ADDRESS SERVER: use the identity of SERVER at ADDRESS, too
    .values = The two addresses of an alias
    .games_rules = Only this game: a name, or a size and a line length
    .result = Only games with this result
    .review = Analyse the moves and find the losing one
    .shell = Shell
    .help = Print this help
    .version = Print the version
    .bot_rules = Game to play; may be repeated [default: any game]
    .arena_rules = Game to play; may be repeated
    .bot_clock = Accepted time controls: any, none, one, or a range [default: any, with --rules none]
    .bot_name = Bot name [default: name of the program]
    .level = Strength: 1 to 8, or novice, easy, casual, medium, skilled, strong, hard, perfect
    .program = Program that chooses the moves; with ugi: or gomocup: before it by that protocol, else by the plain one
    .programs = Programs that play, separated by --; with ugi: or gomocup: before one by that protocol
    .engine_memory = Memory limit of a program in megabytes; 0 for no limit
    .count = Number of games at once
    .jobs = { flag.count }
    .join_public = Also join public rooms that wait for an opponent
    .join = Room to join instead of looking for an opponent
    .move_time_ms = Maximum time per move, in milliseconds
    .min_move_time_ms = Minimum time per move against humans, in milliseconds
    .games = Number of games to play before leaving
    .send_evaluations = Show evaluation and expected moves to spectators only
    .threads = Number of search threads [default: number of processors]
    .engine_rules = Game that UGI's startpos refers to
    .levels = Levels that play: novice to perfect, or 1 to 8
    .arena_games = Games per pair, each opening with sides swapped; rounded up to an even number
    .arena_move_time_ms = Time per move, in milliseconds
    .nodes = Limit the built-in levels by the number of positions searched instead of by time, so that results are the same on every machine
    .opening_plies = Random moves at the start of a game [default: depends on the board]
    .balanced_openings = Use only openings that the engine evaluates as balanced
    .seed = Random seed for openings

# Lines of the report of `noughts doctor`.
doctor-settings = Settings: { $path }
doctor-server = { $url }: { $software }, version { $version }, ping { $ms } ms
doctor-no-terminal = stdin or stdout is not a terminal: using line mode
doctor-terminal = Terminal: { $columns }x{ $rows }
doctor-terminal-too-small = Terminal: { $columns }x{ $rows }, need at least { $min_columns }x{ $min_rows }

doctor-colors =
    .yes = Colours: on
    .no_color = Colours: off (NO_COLOR is set)
    .dumb = Colours: off (TERM is dumb or unset)

doctor-glyphs =
    .lines = Grid: Unicode
    .chosen_unicode = Grid: Unicode (your setting)
    .chosen_ascii = Grid: ASCII (your setting)
    .no_utf8 = Grid: ASCII (the locale is not UTF-8)
    .wide = Grid: ASCII (box-drawing characters are double width here)
    .silent = Grid: ASCII (the terminal does not report its cursor position)
    .not_asked = Grid: ASCII (no terminal)
doctor-saved-games = Resumable games: { $path }
doctor-saved-games-shared = { $path } is readable by other users ({ $mode })

# Error for rules that the Gomocup protocol cannot express.
gomocup-rejects-rules = The Gomocup protocol does not support { $rules }: only two dimensions and five in a row.
engine-failed = The program failed: { $reason }.

# States that the bot stops because its engine keeps failing.
engine-keeps-failing = The program failed in too many games in a row; last error: { $reason }.

# Printed when a bot receives its first stop signal.
bot-retiring = Finishing running games. Press Ctrl-C again to quit now.

# Column headings of the arena's table.
arena-game = game
arena-first = first
arena-second = second
arena-games = games
arena-won = won
arena-drawn = drawn
arena-lost = lost
arena-points = points
arena-elo = Elo (95 % interval)
arena-stronger = stronger

# Formats the result of a match as a table row, followed by the last error of each failed engine.
arena-interval-to = to
arena-player-failed = {"  "}{ $player } failed; last error: { $reason }.
engine-cannot-start = cannot start: { $why }
engine-exited = ended ({ $status })
engine-stdin-closed = closed its input or output
engine-timeout = no answer within { $ms } ms; stopped
engine-illegal-move = the answer "{ $answer }" is not a legal move
engine-unasked-line = printed more than one line for a position: "{ $line }"
engine-too-much-output = too much output
engine-error-response = error response "{ $why }"
engine-unsupported-rules = its protocol does not support these rules
engine-no-move = no legal move
engine-illegal-answer = the answer "{ $answer }" is not a legal move: { $why }

# Names a program that failed in a game, and why.
program-failed = { $program } failed: { $reason }.
game-with-failure = { $game }; { $program } failed

# Lines that follow the failure of a program: the position, the legal moves, the last lines of its stderr, a hint.
failed-position = {"  "}position: { $rules }, { $seat } to move, moves: { $moves }
failed-first-position = {"  "}position: { $rules }, { $seat } to move, no moves yet
failed-legal = {"  "}legal: { $cells }
failed-legal-cut = {"  "}legal: { $cells } and { $count } more
failed-hint = {"  "}hint: { $hint }
program-hint =
    .not_a_cell = print one cell per line on stdout and nothing else; messages belong on stderr
    .no_answer = if the program has answered, let it end the line and flush its output after each answer; a program of UGI or Gomocup needs ugi: or gomocup: before its command
    .ended = the program has to answer each line that it reads, until its input ends
    .not_found = the shell finds no such program
    .other_protocol = a program of UGI or Gomocup needs ugi: or gomocup: before its command

# Error for an arena with fewer than two players.
arena-needs-players = An arena needs two players: levels, or programs after --. For example: noughts arena hard -- python3 mybot.py

# A finished game of a bot or of the arena.
finished-game = { $number }. { $rules }: { $x } (X) - { $o } (O): { $result }, { $moves ->
        [one] { $moves } move
       *[other] { $moves } moves
    }
bot-summary = { $games ->
        [one] { $games } game
       *[other] { $games } games
    }: { $won } won, { $drawn } drawn, { $lost } lost
