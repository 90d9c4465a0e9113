# Tells a player who invites a friend that other computers cannot reach the server.
only-this-computer = Only this computer can reach this server. For others: noughts-server --listen 0.0.0.0:7878, or "{ $host }" on the home screen.

# Label of the link for a browser.
link-label = In a browser

phase =
    .waiting = waiting
    .playing = playing
    .over = over
    .closed = closed

# Message for terminals below the minimum size, in two lines.
window-too-small = Terminal too small:
window-size = { $columns }x{ $rows }, need 30x10.

# Error for `--ui full` without a terminal.
no-terminal = Full-screen mode needs stdin and stdout to be a terminal. Use --ui line.
connecting = Connecting to { $server } ...
waiting-for-opponent = Waiting for an opponent.

# Labels of the code of a private room, or of the id of a public one, and of the command for a friend.
invite-code = Code
invite-room = Room
friend-types = Your friend types

# Help below the code of a room.
code-hint = read it out, letters in any case
no-rooms = No public rooms yet.

# Heading above the open seeks.
seeks-heading = Looking for an opponent:

# Help below the list of rooms in line mode.
lobby-help = Type a number to join, w and a number to watch, g to watch all games, r to refresh, q to leave.

# Help below a menu in line mode.
menu-help = Type a number.
your-move = Your move.

# Status while a local engine searches.
engine-thinking = { $name } is thinking ...

# Status of a move without confirmation from the server.
move-pending = Sending { $cell } ...
more-below = More (Down)

# Hint in line mode while waiting in a room.
bot-hint = Type bot to play a bot, or q to leave.

# Printed when `noughts bot` is ready.
bot-started = { $name } is playing on { $server }. Ctrl-C to stop.
no-result = Not finished.

# Labels of the panel beside the board.
panel-you = you
panel-free = (free)
panel-score = Score
engine-thinks = { $name } thinks: { $judgement }

# The same with the moves that the engine expects.
engine-expects = { $thinks }, expects { $cells }
judgement =
    .winning = winning
    .better = better
    .even = even
    .worse = worse
    .losing = losing

# Confirmation prompt without the keys that answer it.
confirmation =
    .leave_nothing = Leave this game?
    .leave_aborts = Abort and leave this game?
    .leave_resigns = Resign and leave this game?
    .resign = Resign?
    .invite_friend = Stop looking for an opponent, and invite a friend?
    .watch_instead = Stop looking for an opponent, and watch this game?
    .close_room = Close this room? The invitation will no longer work.
    .abort = Abort without a result?
    .claim_draw = End the game as a draw?
    .agree_draw = Do both players agree to a draw?
    .delete_game = Delete this game?

# Answers to the questions above.
answer-stay = Stay
answer-keep-waiting = Keep waiting
answer-keep-looking = Keep looking
answer-play-on = Play on
answer-keep-seat = Close, keep my seat
answer-leave-resign = Leave and resign
answer-leave-abort = Abort and leave
answer-leave = Leave
answer-resign = Resign
answer-abort = Abort
answer-agree-draw = Agree to a draw
answer-stop-looking = Stop looking
answer-claim-draw = Claim the draw
answer-keep-game = Keep it
answer-delete-game = Delete it

# Entry of the menu of a game before both players have moved: the game then ends without a result.
abort-entry = Abort without a result

# Entry of the same menu while the opponent is gone.
claim-draw-entry = Claim a draw

# Entries of the menu while the opponent waits for an answer to an offer.
accept-entry = Accept the offer
decline-entry = Decline the offer
# Heading of that menu.
menu-heading = Menu

# Describes in the help the key that aborts a game.
abort-action = abort without a result (asks first)
title-turn = * your move
title-offline = ! offline
title-waiting = waiting for an opponent

# State of a game with an offer of the opponent.
title-offer-draw = ? draw
title-offer-takeback = ? take back
title-offer-rematch = ? rematch

# Result of a game for the reader: a player or a spectator.
title-aborted = aborted
title-draw = draw
title-you-win = you win
title-you-lost = you lost
title-wins = { $name } wins
