## Screens before a game

page-connection_lost = No connection. Reconnecting in { $n } s.
page-reconnecting = No connection. Reconnecting…
page-no_network = No network.
page-reconnect_now = Reconnect now
page-server_restarting = The server is restarting. Back in { $n } s.
page-no_answer = The server does not answer. Try again.
page-game_unavailable = The server cannot open your game yet. Please wait.
page-stopped = The connection was closed ({ $code }).
page-server_closed = The host has closed the server.
page-kicked = The operator has closed this connection.
page-banned = The operator has banned you from this server.
page-announcement = Operator: { $text }
page-outdated = This page is out of date.
page-opened_elsewhere = This game is open in another tab or on another device.
page-elsewhere = Open elsewhere
page-play_here = Play here
page-reload = Reload
page-reject_unknown_room = { CAPITAL(reject.unknown_room) }{ -period }
page-reject_room_full = { CAPITAL(reject.room_full) }{ -period }
page-reject_server_full = { CAPITAL(reject.server_full) }{ -period }
page-reject_draining = { CAPITAL(reject.draining) }{ -period }
page-reject_bad_field = { CAPITAL(reject.bad_field) }{ -period }
page-reject_rate_limited = { CAPITAL(reject.rate_limited) }{ -period }
page-reject_busy = { CAPITAL(reject.busy) }{ -period }
page-reject_unavailable = { CAPITAL(reject.unavailable) }{ -period }
page-reject_not_a_player = { CAPITAL(reject.not_a_player) }{ -period }
page-reject_flag_not_fallen = { CAPITAL(reject.flag_not_fallen) }{ -period }
page-your_name = Your name
page-name_hint = Other players see this name. Up to 24 letters.

# The identity: a secret by which the server recognises the visitor.
page-identity = Identity
page-identity_title = Use this name on another device
page-identity_here = This browser
page-identity_there = Another device
page-identity_copy = Copy
page-identity_copied = Copied
page-identity_own = Anyone who has this text plays as you, on any device.
page-identity_other = Text of another device
page-identity_import = Import
page-identity_forget = Forget
page-identity_changed = Reload the page to apply the change.
page-identity_wrong = This is not an identity. An identity has 28 letters and digits; the last two detect typing mistakes.
page-identity_none = This browser has no identity, or the stored identity is damaged.
page-identity_ask = Your present identity is then deleted from this browser. Do you have a copy of its text?
page-identity_not_kept = The browser did not keep the identity.
page-change_name = Change name
page-you_play_as = You play as
page-only_you = You are the only one here.
page-resign_question = Resign this game?
page-resign_hint = { $name } wins. You can ask for a rematch.
page-keep_playing = Keep playing
page-leave_question = Leave this game?
page-leave_hint = You will lose it.
page-close_room_question = Close this room?
page-close_room_hint = Your invitation will no longer work.
page-stay = Stay
page-leave = Leave
page-resign = Resign
page-your_side = You play
page-random = Random
page-start = Start
page-bots_waiting = Bots waiting
page-bot_hint = The bot runs on your device.
page-level_first = 1 is the weakest
page-level_last = 8 is the strongest
page-level_never_loses = 8 never loses
page-own_board = Your own board
page-columns = Columns
page-rows = Rows
page-layers = Layers
page-w_layers = Fourth dimension
page-in_a_row = In a row
page-fewer = Fewer: { $what }
page-more = More: { $what }
page-misere = The line loses instead of winning
page-use_board = Use this board
page-rules_cells = { CAPITAL(error.rules_cells) }{ -period }
page-rules_line = { CAPITAL(error.rules_line) }{ -period }
page-rules_gravity = { CAPITAL(error.rules_gravity_needs_rows) }{ -period }
page-rules_other = This board is not possible.
page-looking = Looking for an opponent
page-bots_too = Bots may join too
page-bot_meanwhile = No opponent yet. Play a bot instead? This ends the search.
page-waiting_others = Waiting for other games
page-invite_instead = Invite a friend instead
page-you_play = you play { $mark }
page-send_link = Send this link
page-copy_link = Copy link
page-share = Share
page-link_hint = The first person who opens the link plays with you. No account is needed.
page-or_code = Or tell your friend this code
page-or_scan = Or scan it with a phone camera.
page-waiting_friend = Waiting for your friend…
page-link_opened = Your friend has opened the link…
page-waiting_opponent = Waiting for an opponent…
page-joined = { $name } joined
page-your_room = Your room
page-public_room_hint = Your room is in the lobby. Anyone can join it.
page-invited = You are invited to a game
page-invited_by = { $name } invites you to { $game }
page-join_game = Join the game
page-link_gone = This invitation is no longer valid
page-link_gone_hint = Ask for a new link, or start a game.
page-game_gone_hint = The game is over. Watch another game, or start your own.
page-watch_others = Watch other games
page-link_failed = The link cannot be opened now
page-try_again = Try again
page-start_game = Start a game
page-enter_code = Enter a code
page-not_code = That is not a code. A code looks like { $code }. You can also paste the link.
page-seats_taken = Both seats are taken
page-seats_taken_hint = You can watch this game.
page-own_game = Start your own game
page-invitation_hint = No account is needed.
page-continue = Continue
page-continue_game = Your game continues
page-continue_room = Waiting for an opponent
page-continue_over = Your last game
page-continue_against = { $game } against { $name }
page-alone = The bot, the puzzle and your games still work.
page-alone_hint = To find an opponent or invite a friend, you need a connection.
page-lists_offline = No connection. It is not known who is waiting or playing.
page-players_waiting = Players waiting
page-nobody = No players are waiting. Invite a friend, or play a bot.
page-join = Join
page-bot_starting = The bot is starting…
page-bot_failed = The bot could not start.
page-reject_other = The server rejected this.
page-name_rejected = Up to 24 letters, without invisible characters.
page-cancel = Cancel
page-bot = bot
page-connection_lost_short = Connection lost.
page-reconnected = Reconnected.
page-room_closed = The room is closed.
page-room_closed_operator = The operator has closed this room.
page-back = Back
page-not_waiting = No longer waiting.
page-seek_gone = This player is no longer waiting.
page-no_games = Nobody is playing right now.
page-move_n = move { $n }
page-reject_game_over = { CAPITAL(reject.game_over) }{ -period }
page-spectators = { $n ->
        [one] { $n } spectator
       *[other] { $n } spectators
    }
page-without_clock = { no-clock }
page-ping = { $n } ms

## A game and its result

page-your_move = Your move
page-now_you_play = You play { $mark } now
page-is_thinking = { $name } is thinking…
page-turn_of_x = { $x } (X) is to move.
page-turn_of_o = { $o } (O) is to move.
page-sending = Sending { $cell }…
page-you = you
page-disconnected = { presence.disconnected }
page-left = { presence.left }
page-unknown_presence = unknown while you are offline
page-offer_draw_button = Draw
page-take_back = Take back
page-move_box = Move or command, e.g. { $cell }
page-move_box_label = Move or command
page-send = Send
page-unknown_command = “{ $text }” is neither a move nor a command.
page-play_cell = Play { $cell }
page-tap_another = Or tap another cell.
page-moves = Moves
page-actions = Actions
page-players = Players
page-first_move = First move
page-previous_move = Previous move
page-next_move = Next move
page-last_move = Last move
page-move_of = Move { $a } of { $b }
page-back_to_game = Back to the game
page-back_to_result = Result
page-no_moves = No moves yet.
page-copy_game = Copy game
page-game_link = { page-copy_link }
page-save_picture = Picture
page-picture_failed = The picture could not be saved.
page-board = Board
page-board_layer = Layer { $name }
page-cell_empty = { $cell }, empty
page-cell_mark = { $cell }, { $mark }
page-cell_last = last move
page-cell_winning = winning line
page-cell_falls = falls to { $cell }
page-cell_row = { $column }, row { $row }
page-cell_pending = { $cell }, { $mark }, not confirmed
page-plays = { $mark } plays { $cell }.
page-offer_draw = { offer-draw }
page-offer_takeback = { offer-takeback }
page-offer_rematch = { offer-rematch }
page-accept = Accept
page-decline = Decline
page-offered_draw = { offer-made-draw }
page-offered_takeback = { offer-made-takeback }
page-offered_rematch = { offer-made-rematch }
page-cancel_offer = Cancel offer
page-declined_draw = { declined-draw }
page-declined_takeback = { declined-takeback }
page-declined_rematch = { declined-rematch }
page-taken_back = Move taken back.
page-you_win = { you-win }
page-you_lost = { CAPITAL(LOWER(headline-you-lost)) }
page-draw = { CAPITAL(LOWER(headline-draw)) }
page-x_wins = { $x } (X) wins
page-o_wins = { $o } (O) wins
page-line_row = { CAPITAL(line.row) }{ line-cells }
page-line_column = { CAPITAL(line.column) }{ line-cells }
page-line_pillar = { CAPITAL(line.pillar) }{ line-cells }
page-line_main_diagonal = Diagonal{ line-cells }
page-line_other_diagonal = Diagonal{ line-cells }
page-line_space_diagonal = { CAPITAL(line.space_diagonal) }{ line-cells }
page-line_direction = { CAPITAL(line.direction) }{ line-cells }
page-full = { CAPITAL(reason-full) }{ -period }
page-resigned = { reason-resigned }{ -period }
page-you_resigned = { CAPITAL(reason-you-resigned) }{ -period }
page-flag = { CAPITAL(reason-flag) }{ -period }
page-agreed = { CAPITAL(reason-agreed) }{ -period }
page-abandoned = { not-returned }{ -period }
page-your_abandoned = You were away too long.
page-abandoned_draw = { CAPITAL(reason-abandoned) }{ -period }
page-draws = { $n ->
        [one] { $n } draw
       *[other] { $n } draws
    }
page-rematch = Rematch
page-easier_bot = Easier bot ({ $n })
page-harder_bot = Harder bot ({ $n })
page-other_bot = Other bot
page-next_game = Next game
page-new_opponent = New opponent
page-move_kept = Your move { $cell } will be sent when you are back online.
page-seat_kept = Your seat is kept.
page-is_disconnected = { $name } is disconnected.
page-claim_on_their_turn = Make your move, then you can claim the win.
page-claim_now = You can claim the win.
page-claim_win = Claim the win
page-substitute = Let a bot play
page-substitute_waiting = Waiting for a bot to take the seat.
page-seat_taken = { $name } takes the seat.
page-claim_in = You can claim the win in { $time }.
page-is_back = { $name } is back.
page-opponent_gone = { $name } has left.
page-waiting_for_opponent = Waiting for an opponent
page-games_in_play = Games in play
page-open_room = Open a room
page-join_code = Join with a code
page-code = Code

## Settings, watching, records and phrases

page-look = Appearance
page-language = Language
page-theme = Theme
page-theme_device = Device
page-theme_light = Light
page-theme_dark = Dark
page-contrast = Contrast
page-contrast_device = { page-theme_device }
page-contrast_normal = Normal
page-contrast_high = High
page-coordinates = Show coordinates
page-confirm = Confirm each move
page-confirm_small = Small cells
page-confirm_always = Always
page-confirm_never = Never
page-same_cell = Mark the same cell in other layers
page-clock_alerts = Announce clocks at 60, 30 and 10 s
page-done = Done
page-reject_stale = { CAPITAL(reject.stale) }{ -period }
page-reject_not_your_turn = { CAPITAL(reject.not_your_turn) }{ -period }
page-reject_cell_taken = { CAPITAL(reject.cell_taken) }{ -period }
page-reject_column_full = { CAPITAL(reject.column_full) }{ -period }
page-reject_off_board = { CAPITAL(reject.off_board) }{ -period }
page-reject_game_on = { CAPITAL(reject.game_on) }{ -period }
page-reject_not_started = { CAPITAL(reject.not_started) }{ -period }
page-reject_no_offer = { CAPITAL(reject.no_offer) }{ -period }
page-reject_nothing_to_take_back = { CAPITAL(reject.nothing_to_take_back) }{ -period }
page-reject_opponent_left = { CAPITAL(reject.opponent_left) }{ -period }
page-reject_not_claimable = { CAPITAL(reject.not_claimable) }{ -period }
page-reject_already_in_room = { CAPITAL(reject.already_in_room) }{ -period }
page-reject_already_seeking = { CAPITAL(reject.already_seeking) }{ -period }
page-all_games = All games
page-tv = TV
page-results = Results
page-next_game_in = Next game in { $n } s.
page-no_other_games = No other games in play.
page-open_record = Open a saved game…
page-replay = Replay
page-play_this_game = Play this game
page-record_hint = Paste a game, or drop a game file here.
page-choose_file = Choose a file
page-unfinished_game = Unfinished
page-aborted_game = { CAPITAL(LOWER(headline-aborted)) }
page-record_error = Line { $n }: { $text }
page-record_too_long = { CAPITAL(error.record_too_long) }{ -period }
page-record_tag = { CAPITAL(error.record_tag) }{ -period }
page-record_repeated_tag = { CAPITAL(error.record_repeated_tag) }{ -period }
page-record_no_rules = { CAPITAL(error.record_no_rules) }{ -period }
page-record_rules = These rules are not possible.
page-record_clock = { CAPITAL(error.clock_syntax) }{ -period }
page-record_result = { CAPITAL(error.record_result) }{ -period }
page-record_number = { CAPITAL(error.record_number) }{ -period }
page-record_mismatch = { CAPITAL(error.record_mismatch) }{ -period }
page-record_unreadable = The file cannot be read.
page-no_kept_games = Your finished games appear here. Replay, share and review them.
page-games_total = { $n ->
        [one] { $n } game, { $won } won, { $drawn } drawn
       *[other] { $n } games, { $won } won, { $drawn } drawn
    }
page-games_kept_here = This browser keeps your last 50 games. Other devices do not have this list.
page-games_on_server = Only on this server
page-older_games = Older games
page-profile_of = Profile of { $name }
page-profile_against = Your games against this player: { $won } won, { $drawn } drawn, { $lost } lost
page-profile_since = Since { $date }; at most 1,000 games are counted.
page-profile_latest = Latest games
page-archive_not_kept = { CAPITAL(reject.not_kept) }{ -period }
page-archive_unknown_player = { CAPITAL(reject.unknown_player) }{ -period }
page-result_won = Won
page-result_lost = Lost
page-result_drawn = Draw
page-result_unfinished = Unfinished
page-delete_game = Delete the game with { $name }
page-delete_all = Delete all
page-games_deleted = { $n ->
        [one] { $n } game deleted.
       *[other] { $n } games deleted.
    }
page-undo = Undo
page-review = Review
page-next_mistake = Next mistake
page-no_mistake = No mistakes found.
page-finding_mistake = Analysing { $a } of { $b }
page-review_failed = The moves could not be judged. Try again.
page-verdict_best = the best move
page-verdict_fine = a good move
page-mistake_column_loss = Move { $n }: column { $cell } allowed a forced win. Column { $best } was better.
page-mistake_column_win = Move { $n }: column { $cell }. Column { $best } was a forced win.
page-mistake_cell_loss = Move { $n }: cell { $cell } allowed a forced win. Cell { $best } was better.
page-mistake_cell_win = Move { $n }: cell { $cell }. Cell { $best } was a forced win.
page-own_mistake = Your mistake { $a } of { $b }
page-mistake_of = { $name }: mistake { $a } of { $b }
page-cell_better = { $cell }, empty, the better move
page-link_bad = This link contains no game. It may be cut off.
page-link_unsupported = This browser cannot read or write links to games. Use a newer browser.
page-link_too_long = The game is too long for a link.
page-start_page = Start page
page-opening_game = Opening the game…
page-say = Say
page-close = Close
page-mute = Mute { $name }
page-phrases = Show phrases of opponents
page-sounds = Sounds and vibration
page-phrase_hello = { phrase.hello }
page-phrase_good_luck = { phrase.good_luck }
page-phrase_have_fun = { phrase.have_fun }
page-phrase_nice_move = { phrase.nice_move }
page-phrase_oops = { phrase.oops }
page-phrase_thinking = { phrase.thinking }
page-phrase_sorry = { phrase.sorry }
page-phrase_well_played = { phrase.well_played }
page-phrase_good_game = { phrase.good_game }
page-phrase_thanks = { phrase.thanks }
page-phrase_one_more = { phrase.one_more }
page-phrase_bye = { phrase.bye }
page-people_online = { $n ->
        [one] { $n } person online
       *[other] { $n } people online
    }
page-bots_online = { $n ->
        [one] { $n } bot online
       *[other] { $n } bots online
    }
page-level = Level
page-bot_level = Bot { $n } ({ $level })
page-level_novice = { level.novice }
page-level_easy = { level.easy }
page-level_casual = { level.casual }
page-level_medium = { level.medium }
page-level_skilled = { level.skilled }
page-level_strong = { level.strong }
page-level_hard = { level.hard }
page-level_perfect = { level.perfect }
page-link_copied = Link copied.
page-link_selected = Link selected. Copy it now.
page-game_copied = Game copied.
page-seconds_left = { $n ->
        [one] { $n } second left.
       *[other] { $n } seconds left.
    }

## Puzzle of the day

page-puzzle = Puzzle of the day
page-puzzle_streak = { $n ->
        [one] { $n } day in a row
       *[other] { $n } days in a row
    }
page-puzzle_task = { $mark } to move wins in { $n }
page-puzzle_wrong = { $n ->
        [one] That does not win in { $n } move. Try again.
       *[other] That does not win in { $n } moves. Try again.
    }
page-puzzle_show = Show the solution
page-puzzle_show_question = Show the solution?
page-puzzle_streak_ends = { $n ->
        [one] Your { $n } day in a row ends.
       *[other] Your { $n } days in a row end.
    }
page-puzzle_first_try = Solved on the first try
page-puzzle_tries = { $n ->
        [one] Solved with { $n } try
       *[other] Solved with { $n } tries
    }
page-puzzle_given_up = Not solved
page-puzzle_misere = Every move of { $mark } completes a line.
page-puzzle_next = Next puzzle tomorrow.
page-puzzle_result = Noughts puzzle { $date }: { $game }, win in { $n }
page-puzzle_copy = Copy result
page-puzzle_copied = Result copied.

# The help at the end of the settings: a short form of client/web/README.md.
page-help = Help
page-help_start = Find an opponent waits for the first player who wants the same game. Invite a friend makes a link: your friend opens it and plays.
page-help_board = Press a cell to play it. On small cells the first touch chooses the cell, and the second plays it. When your opponent stays away, you may claim the game or let a bot take the seat.
page-help_keys = Keys on the board: arrows, Home and End move; Page Up and Page Down change the layer, with Shift along the fourth axis; Enter plays; Escape takes back a choice; , and . step through the moves; 1 to 6 say a phrase of the open list; l, c, o, t and b read out the last move, the clocks, the opponent, the turn and the board.
page-help_box = The box for moves takes these letters, cells such as b2 or b2-3, and draw, undo, resign.
page-help_games = This browser keeps your last 50 finished games, and no server has them. The link to a game contains the whole game.
page-help_tabs = A game continues after a reload, a lost connection or a restart of the server. Two tabs can play two games. With your identity, another device continues your games.
