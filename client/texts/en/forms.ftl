form-title =
    .quick = Quick play
    .private = Private game
    .host = Host on this computer
    .join = Join a game
    .local = Two players
    .settings = Settings
    .bot = Play the computer

# Label of the signs in the chosen theme.
preview-label = Preview

# Sample of an offer.
preview-offer = offer

field =
    .server = Server
    .port = Port
    .name = Your name
    .rules = Game
    .clock = Clock
    .seat = You play
    .invite = Code
    .first_player = First player
    .second_player = Second player
    .opponent = Opponent
    .seat_assignment = Who plays X
    .digits = Number keys
    .lang = Language
    .theme = Colours
    .glyphs = Grid
    .bell = Turn alert
    .phrases = Phrases

# Describes the valid values of a field.
field-help =
    .server = a host, host:port or ws:// address
    .port = the server stops when you leave: your friend can play only while this program runs
    .name = up to 24 characters (wide characters count as two)
    .rules = a game's name, or width x height : in a row, e.g. 15x15:5
    .clock = minutes + seconds per move, e.g. 5+3, or none
    .invite = the code or address that a friend gave you
    .first_player = a name, or bot:1 to bot:8 (bot:easy, bot:perfect)
    .second_player = { field-help.first_player }

# Names of choices, by the field and the value.
choice =
    .seat_random = random
    .lot_random = { choice.seat_random }
    .clock_none = no clock
    .digits_reading = 1 2 3 on top
    .digits_numpad = 7 8 9 on top
    .theme_auto = automatic
    .theme_dark = dark
    .theme_light = light
    .theme_high-contrast = high contrast
    .glyphs_auto = automatic
    .glyphs_unicode = box lines
    .glyphs_ascii = ASCII
    .bell_off = off
    .bell_bell = bell
    .bell_notify = desktop notification
    .phrases_show = show
    .phrases_hide = hide

# A computer as a player, with the number of its level among all levels.
computer-of-level = computer, level { $number } of { $count }: { $level }

# Describes a field on the full screen, where keys change it.
field-note =
    .clock = Left and Right choose; or type minutes + seconds per move, e.g. 5+3
    .first_player = a name; Left and Right choose a computer level
    .second_player = { field-note.first_player }
    .opponent = Left and Right change the level: 1 is the weakest, 8 the strongest
    .bell = when it is your turn and the window is in the background
    .phrases = phrases of other players

# Descriptions of fields that list their choices.
side-description = { $choices }; X goes first
noted-choices = { $note }: { $choices }
game-picker-title = Choose a game

# Title of the text field above the list.
game-filter-label = Filter, or sizes such as 9x9:5

# Label of the text field where it has no frame.
short-filter-label = Filter

# Says why the list is empty.
no-such-game = No game of this name. Sizes such as 9x9:5 work too.
rules-typed = Rules { $typed }. { $first }
x-moves-first = X moves first.
how-to-move-column = Choose a column; the piece falls to the lowest free cell.
how-to-move-flat = Choose any free cell.
how-to-move-layers = Choose any free cell in any layer; lines run through the layers too.
