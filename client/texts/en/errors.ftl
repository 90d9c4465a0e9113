# Prefixes an error message.
cli-error = error: { $what }
invalid-value-of = invalid value '{ $value }' for '{ $argument }'
missing-value = a value is required for '{ $argument }' but none was supplied
unknown-argument = unexpected argument '{ $argument }' found
unknown-command = unrecognized subcommand '{ $command }'
missing-argument = the following required arguments were not provided: { $arguments }

# Arguments that exclude each other, and an argument given twice.
repeated-argument = the argument '{ $argument }' cannot be used multiple times
conflicting-argument = the argument '{ $argument }' cannot be used with '{ $others }'
too-few-values = { $needed } values required by '{ $argument }'; only { $given } given
too-many-values = unexpected value '{ $value }' for '{ $argument }'; no more were expected
not-utf8 = an argument is not valid UTF-8

# Suggests a similar argument, value or command.
suggestion = {"  "}similar: { $meant }
help-hint = For more information, try '--help'.

# States why the settings file cannot be used.
settings-file-line = { $path }, line { $line }: { $reason }.
invalid-toml = invalid TOML: { $why }
unknown-setting = unknown setting { $key }
setting-not-a-string = must be a quoted string
setting-not-a-choice = must be one of { $choices }
keys-unknown-action = unknown action
keys-fixed = cannot be rebound
keys-unknown-key = unknown key { $key }
keys-reserved = { $key } always ends the program
keys-conflict = { $key } is already bound to { $other }
no-config-dir = No settings directory on this platform; use --config FILE.

# Origin of a setting that has its default value.
default-origin = default

# States why a typed command is invalid.
command-empty = Nothing was typed.
command-unknown = Unknown command "{ $typed }". Type help for a list.
command-without-argument = { $name } takes no argument.
command-usage = Usage: { $name } { $argument }

# States that the board does not have a cell.
no-such-cell = There is no cell { $cell }.

# Errors in what a player types, without capital and period.
error =
    .form_port = a port is a number from 1 to 65535
    .form_level = a bot must be bot, or bot with a level: bot:1 to bot:8, bot:easy, bot:perfect
    .form_engine = a program is plain:, ugi: or gomocup: and its command
    .form_unsupported_rules = programs of the Gomocup protocol play only five in a row in two dimensions
    .form_unknown_option = type the number of one of the choices
    .server_syntax = a server is a host, host:port or ws://host:port/ws
    .server_scheme = server addresses start with ws://, wss://, http:// or https://, or have no scheme
    .server_port = ports are 1 to 65535
    .server_parts = server addresses have at most 255 characters, no user name and no query
    .invite = a room is a code, an id, or ADDRESS#CODE
    .name_empty = names need at least one visible character
    .name_too_long = names have at most 24 columns (wide characters count as two)
    .name_character = names cannot have control, bidirectional or invisible characters
    .rules_empty = rules are empty
    .rules_too_long = rules have at most 40 characters
    .rules_syntax = rules are a size and a line length, e.g. 3x3:3 or 7x6:4+gravity
    .rules_unknown_name = unknown game; try tictactoe, gomoku, connect4, or a size such as 15x15:5
    .rules_dimensions = boards have 1 to 4 dimensions
    .rules_side = sides are 1 to 25
    .rules_cells = at most 1024 cells
    .rules_line = the line length must be between 1 and the longest side
    .rules_repeated_flag = duplicate flag
    .rules_gravity_needs_rows = gravity needs at least 2 dimensions
    .rules_incompatible = these flags do not go together on this board
    .clock_syntax = a clock is minutes+seconds, e.g. 5+3, or seconds with an s, e.g. 30s+0
    .clock_base = base time must be 1 second to 3 hours
    .clock_increment = increment must be at most 180 seconds
    .cell_syntax = a cell is a letter and a number, e.g. b2, or b2-3 in layer 3
    .cell_dimensions = this board needs a different number of layer coordinates
    .off_board = there is no such cell
    .taken = the cell is taken
    .column_full = the column is full
    .game_over = the game is over
    .record_too_long = the record is longer than 32 KiB
    .record_tag = tags have the form [Name "value"]
    .record_repeated_tag = duplicate tag
    .record_no_rules = missing tag for the rules, e.g. [Rules "3x3:3"]
    .record_result = bad result tag
    .record_number = wrong move number
    .record_mismatch = the result does not match the final position
    .identity_form = an identity has 28 letters and digits
    .identity_check = the identity is mistyped: its last two digits do not match the rest
    .link_too_long = the link is longer than 4 096 characters
    .link_encoding = the link is cut off, or contains invalid characters
    .link_deflate = the link is damaged
    .link_too_large = the link contains more than 64 KiB
    .link_not_text = the link contains no text
    .unknown_level = the levels are novice, easy, casual, medium, skilled, strong, hard and perfect, or 1 to 8
    .unknown_language = the languages are en, ru, zh-Hans and zh-Hant
    .not_clocks = expected any, none, a time control such as 5+3, or a range such as 1+0..10+5
    .not_an_id = not an id: wrong length or invalid character
rules-unknown-flag = unknown flag; use one of { $flags }
host-not-installed = The program noughts-server is not installed here. Install it: cargo install --path server
host-port-taken = Another program uses port { $port }. Choose another port.
host-timed-out = The server does not answer.
host-failed = The server cannot start: { $reason }

# An error in a file of a game.
error-in-line = line { $line }: { $reason }
not-a-number-between = must be a whole number from { $min } to { $max }

# States why a cell cannot be played.
cell-taken = { $cell } is taken. Try another cell.
not-your-turn = Not your turn yet.

# Describes a rejection by its code. Free text from the server is not shown.
reject =
    .bad_message = the server did not understand this client; their versions may differ
    .unknown_type = { reject.bad_message }
    .hello_first = { reject.bad_message }
    .hello_twice = { reject.bad_message }
    .rate_limited = too many requests; wait a moment
    .version = this program and the server use different protocol versions
    .busy = the server is busy; try again
    .unavailable = the server cannot save the game right now; try again
    .draining = the server starts no new games at present
    .server_full = the server is full; try again later
    .already_seeking = you are already looking for an opponent
    .not_seeking = you are not looking for an opponent
    .already_in_room = you are already in a room
    .not_in_room = you are not in a room
    .unknown_room = no such room; check the code
    .not_kept = this server keeps no finished games
    .unknown_game = no such game, or it is private
    .unknown_player = this server has no games of this player for you to see
    .room_full = the game is full; you can watch it
    .not_a_player = only players can do this; you are watching
    .not_started = the game has not started
    .game_on = the game is still in progress
    .stale = the position has changed
    .not_your_turn = it is not your turn
    .id_reused = request id reused with different contents
    .already_offered = you have already offered this
    .no_offer = there is no offer to answer
    .nothing_to_take_back = you have no move to take back
    .opponent_left = your opponent has left
    .not_claimable = the game cannot be claimed now
    .flag_not_fallen = your opponent still has time
    .bad_field = { invalid-field.other }
    .game_over = { error.game_over }
    .off_board = { error.off_board }
    .cell_taken = { error.taken }
    .column_full = { error.column_full }
reject-rate-limited-until = too many requests; wait { $wait }
reject-not-claimable-until = your opponent has { $wait } left to reconnect

invalid-field =
    .rules = the server does not support these rules
    .clock = the server does not support this clock
    .name = the server does not accept this name
    .room = invalid room
    .other = the server did not accept the request

# States why a command is not available.
unavailable =
    .pending = Your move is being sent.
    .watching = You are only watching this game.
    .busy = Too many unsent moves. Wait for the connection.
    .no_board = There is no board yet.
    .no_offer = There is no offer to answer.
    .which_offer = There are several offers. Say which: accept draw.
    .no_game = There is no game yet.
    .game_on = The game is still in progress.
    .bot_moves = It is the bot's turn.
    .in_puzzle = Not in a puzzle.
    .bot_plays_on = The bot declines.
    .not_waiting = You can invite a bot only while waiting in your own room.
    .nothing_to_take_back = There is nothing to take back.
    .not_on_a_server = Only in offline games.
    .only_on_a_server = Only in a game on a server.
    .not_claimable = Your opponent is still here.
    .yes_or_no = Type y or n.
    .number = Type one of the numbers.
    .no_room = You are not watching that room.
    .leave_aborts = Abort and leave this game? y or n.
    .leave_resigns = Resign and leave this game? y or n.
    .leave_nothing = Leave this game? y or n.
    .request_pending = Waiting for the server ...
    .selection_gone = The selected row is gone. Choose another one.
    .nothing_asked = Nothing to answer right now.
    .seek_gone = This player is no longer waiting.
    .stale = The position has changed.
    .delete_question = Delete this game? y or n.
    .no_opponent = Two players share this terminal.
    .no_profile = There is no profile: your opponent has no identity, or the game is not over.
    .offline = Disconnected.
    .no_server = No server answers.
    .searching = Your search for an opponent continues: q leads back to it.
