# Describes an action in the help, by its name in the settings file. The part after the underscore is the context of the key. Actions with equal texts share a row.
action =
    .cursor_game_over = choose an entry
    .cursor = move the cursor
    .previous-layer = previous / next layer
    .next-layer = { action.previous-layer }
    .previous-depth = previous / next layer (4-D: along the 4th axis)
    .next-depth = { action.previous-depth }
    .place_analysis = try the move
    .place = play the cell
    .digit = play the cell or column with this number
    .guide = show / hide lines through the cursor
    .command = type a cell
    .menu = menu, or back to the game
    .help = this help
    .leave_home = quit
    .leave = leave
    .close_help = close the help
    .close = go back
    .review_analysis = next mistake
    .review_game_over = analyse the game
    .draw = offer a draw
    .takeback = ask to take back
    .resign = resign (asks)
    .save = save to a file
    .hold = keep finished games / show running ones instead
    .accept = accept the offer
    .decline = decline, or withdraw your own offer
    .rematch = rematch
    .next-opponent = next opponent
    .invite_own_room = show / hide the QR code
    .invite_waiting = invite a friend
    .invite = show how others can watch
    .new-room = invite a friend
    .puzzle = solve the puzzle of the day
    .bot_lobby = play the computer
    .bot_home = { action.bot_lobby }
    .bot_waiting = play the computer; search continues
    .bot = invite a bot
    .claim = claim the win if your opponent is gone
    .previous_playing = back / forward one move
    .previous_watching = { action.previous_playing }
    .next_watching = { action.previous_playing }
    .next_playing = { action.previous_playing }
    .previous_game_over = { action.previous_playing }
    .next_game_over = { action.previous_playing }
    .previous_analysis = { action.previous_playing }
    .next_analysis = { action.previous_playing }
    .previous_form = previous / next field
    .next_form = { action.previous_form }
    .previous = up / down
    .next = { action.previous }
    .previous-option_help = page up / down
    .next-option_help = { action.previous-option_help }
    .previous-option_own_games = { action.previous-option_help }
    .next-option_own_games = { action.previous-option_help }
    .previous-option = change the value
    .next-option = { action.previous-option }
    .choose_multi_watch = show only this game
    .choose_form = start
    .choose_lobby = join, or watch if the game is full
    .choose_own_games = analyse
    .choose = choose
    .entry = open the entry with this number
    .watch = watch
    .watch_waiting = rooms; search continues
    .watch-all = watch all games side by side
    .refresh_multi_watch = reconnect
    .refresh_home = try to reach the server now
    .refresh = refresh
    .first_home = first / last entry
    .last_home = { action.first_home }
    .first_lobby = { action.first_home }
    .last_lobby = { action.first_home }
    .first_own_games = { action.first_home }
    .last_own_games = { action.first_home }
    .profile = show the profile of your opponent
    .delete = delete (asks first)
    .first = first / last position
    .last = { action.first }
    .yes = yes
    .no = no
    .copy-link = copy the link for a browser
    .copy-link_playing = copy the link to watch
    .copy-link_game_over = copy the link to this game
    .copy-link_analysis = { action.copy-link_game_over }
    .copy-link_own_games = { action.copy-link_game_over }
    .copy-command = copy the command for a terminal
    .say = say a phrase
    .phrase = say this phrase
    .mute = hide / show phrases
    .keep-seat = quit and keep the seat
    .interrupt = quit (during a game: asks once)
    .suspend = suspend the program
    .redraw = redraw
    .previous_multi_watch = previous / next game
    .next_multi_watch = { action.previous_multi_watch }
    .cursor_multi_watch = { action.previous_multi_watch }
    .choose_waiting = play against the selected player

# Names a key: its printed label, or a word for keys with a symbol.
key-space = Space
key-up = Up
key-down = Down
key-left = Left
key-right = Right

# Labels the key that submits a form.
submit-save = save
submit-join = join
submit-start = start

# Labels a key in the footer, where columns are few. Names and contexts as for action.
hint =
    .place_analysis = try
    .place = place
    .digit = { hint.place }
    .review_analysis = next mistake
    .review = analyse
    .save = save
    .hold = hold
    .invite_own_room = QR code
    .invite_waiting = invite
    .invite = invite
    .previous-layer = layer
    .next-layer = { hint.previous-layer }
    .copy-link = copy link
    .copy-command = copy command
    .say = say
    .phrase = say
    .mute = mute
    .keep-seat = keep the seat
    .menu = menu
    .help = keys
    .leave_home = quit
    .leave = leave
    .close = back
    .accept = accept
    .decline = decline
    .rematch = rematch
    .next-opponent = next opponent
    .bot_playing = substitute
    .new-room = invite a friend
    .puzzle = puzzle of the day
    .bot = play the computer
    .claim = claim the win
    .choose_say = say
    .choose_lobby = join
    .choose_own_games = analyse
    .profile = profile
    .delete = delete
    .choose_menu = choose
    .choose_game_picker = choose
    .choose = open
    .watch_waiting = rooms
    .watch = watch
    .watch-all = watch all
    .refresh = refresh
    .next_game_picker = move
    .next_form = field
    .next_multi_watch = next
    .next_help = scroll
    .next = forward
    .previous = moves
    .next-option = change
    .last = latest
    .yes = yes
    .no = no
    .choose_waiting = play

# Entries of the menus of a game in progress and after a game.
menu-action =
    .rematch = Rematch
    .next-opponent = Next opponent
    .review_lost = Find the losing move
    .review = Analyse this game
    .save = Save to a file
    .invite = Show how to watch
    .copy-link = Copy link to watch
    .copy-link_over = Copy link
    .claim = Claim the win
    .draw = Offer a draw
    .takeback = Take back a move
    .decline = Withdraw your offer
    .say = Say something
    .resign = Resign
    .leave = Leave

# Labels the key that leaves a game with the computer for the opponent who has joined, and its entry in the menu after that game.
meet-hint = to your opponent
meet-entry = Play your opponent

# Labels the key that withdraws the player's own offer.
withdraw-hint = withdraw

# Labels the key that opens the list of games.
game-list-hint = list of games

# Describes the words that a player can type.
typed-command =
    .b = show the board
    .s = read row 8; s h reads column h; s 2,3 reads row 2 of layer 3
    .p = list your marks
    .l = show the last move
    .c = show the clocks
    .o = show your opponent and the connection
    .invite = show how others can watch
    .link = print the link to the finished game
    .draw = offer a draw
    .undo = ask to take back your last move
    .rematch = offer a rematch
    .accept = accept
    .decline = decline
    .resign = resign
    .claim = claim after a disconnect
    .flag = claim a win on time
    .bot = invite a bot to your room, or for an absent opponent
    .say = say phrase N
    .mute = hide / show phrases
    .values = evaluate every free cell (offline and analysis only)
    .review = evaluate every move of the finished game and find the losing one
    .profile = show the profile of your opponent; N: of a game in the list
    .save = save the game to a file, for noughts analyse
    .help = this help
    .q = leave

# Describes the notations of a move.
move-help-cell = play column h, row 8; b2-3 in layer 3
move-help-coordinates = row 1, column 3
move-help-number = the cell or column with this number, on small boards

# Headings of the rules and of the signs on the board in the help.
help-how-to-win = How to win
help-signs = Signs on the board

# The signs on a board with these rules, and their meanings.
sign-cursor = the cursor
sign-last-move = the last move
sign-pending = your move on its way
sign-winning-line = the winning line
sign-falls = where your mark lands
sign-other-layers = the same place in other layers
sign-wrapping-edge = this edge meets the opposite one

# Headings of the in-game help.
help-keys = Keys
help-more-keys = More keys
help-commands = Cells, typed after :
