presence =
    .connected = connected
    .disconnected = disconnected
    .left = left
is-connected = { $name } is { presence.connected }.
is-disconnected = { $name } is { presence.disconnected }.
is-disconnected-until = { $name } is { presence.disconnected }: { $left } to reconnect.
has-left = { $name } { presence.left }.
has-left-until = { $name } { presence.left }: { $left } to reconnect.

# A game within a sentence, such as "tic-tac-toe 3x3, clock 5+3".
game-with-clock = { $rules }, { $clock }
seat-clause-you = you are { $seat }
seat-clause = { $name } is { $seat }
new-game = Game { $number }, { $rules }. { $x }, { $o }.{ $next }

# States why a room was closed.
room-closed =
    .deserted = Room closed: both players left.
    .idle = Room closed: inactive for too long.
    .operator = Room closed by the operator of the server.

# Names the player to move, to be appended to a sentence.
next-you = {" "}Your move.
next-local = {" "}{ $who } to move.

# Joins a subject and a reason with a colon.
with-reason = { $what }: { $why }

# Makes a sentence of a text.
with-period = { $text }{ -period }

# States that a player made an offer. An offer of another player is followed by how to answer it.
offer-made-draw = You offer a draw.
offer-made-takeback = You ask to take back a move.
offer-made-rematch = You offer a rematch.
offer-question = { $offered } Accept or decline?

# States that another player made an offer.
offer-draw = { $name } offers a draw.
offer-takeback = { $name } asks to take back a move.
offer-rematch = { $name } offers a rematch.

# States that a player declined an offer.
you-declined-draw = You declined the draw.
declined-draw = { $name } declined the draw.
you-declined-takeback = You declined the takeback.
declined-takeback = { $name } declined the takeback.
you-declined-rematch = You declined the rematch.
declined-rematch = { $name } declined the rematch.

# Phrases that players say to each other: at most 24 columns.
phrase =
    .hello = Hello
    .good_luck = Good luck
    .have_fun = Have fun
    .nice_move = Nice move
    .oops = Oops
    .thinking = I am thinking
    .sorry = Sorry
    .well_played = Well played
    .good_game = Good game
    .thanks = Thanks
    .one_more = One more?
    .bye = Bye

# Heading of the menu of phrases.
say-heading = Say

# Rejection of a phrase shortly after others.
said-too-often = One phrase every few seconds, please.

no-marks-yours = You have not moved yet.
no-marks = { $name } has not moved yet.
no-moves = No moves yet.
last-move = Last: { $who } at { $cell }.
no-clocks = No clock in this game.
time-left = Time left: { $x } { $left_x }, { $o } { $left_o }.
kind-bot = bot
kind-person = person
lag-clause = , { $ms } ms
opponent = { $who }: { $kind }, { $presence }{ $lag }.
help-answer = Help.

# Reads a row or a column, such as "Row 8: X a8, free b8 to d8."
scan-row = Row { $row }
scan-column = Column { $column }
scan-free = free
scan-range = { $content } { $from } to { $to }
