# The name of this language, in this language.
language-name = English
with-clock = clock { $control }
no-clock = no clock

# A duration in seconds.
whole-seconds = { $seconds } s

# You, at the beginning of a sentence. $seat is X or O.
you-subject = You ({ $seat })

# You, within a sentence.
you-object = you ({ $seat })

# Name of a player who has not chosen a name: at most 24 columns.
default-name = Player

# Words for the name that is drawn for a player without a name, separated by blanks, and the drawn name.
name-adjectives = Green Blue Red Quiet Quick Brave Wise Merry Lucky Sunny
name-animals = Fox Owl Bear Otter Hare Crow Lynx Badger Wolf Heron
drawn-name = { $adjective } { $animal }

# Default name of the second player on one terminal.
default-guest-name = Guest

# Name of a bot on this computer.
local-bot = Bot { $level }

level =
    .novice = novice
    .easy = easy
    .casual = casual
    .medium = medium
    .skilled = skilled
    .strong = strong
    .hard = hard
    .perfect = perfect

# A bot in a list of players, if its name does not say that it is one.
bot-player = { $name } (bot)

# Kinds of winning lines.
line =
    .row = row
    .column = column
    .pillar = column through the layers
    .main_diagonal = main diagonal
    .other_diagonal = anti-diagonal
    .space_diagonal = diagonal through the layers
    .direction = diagonal

# The score of several games, such as "you 2 - 1 Bob, 1 draw".
score-you = you
score-of-series = { $x } { $x_wins } - { $o_wins } { $o }, { $draws } { $draws ->
        [one] draw
       *[other] draws
    }

# Stands between the parts of a list, and between the wins and the draws of a score.
list-separator = ,{" "}
lag-ms = { $ms } ms
lag-unknown = not measured
spectators = { $count ->
        [0] no spectators
        [one] { $count } spectator
       *[other] { $count } spectators
    }

# Ends a sentence.
-period = .
