// Texts in English of the screens that are loaded on demand.
export default {
  // Home
  live_now: "Live now", level_easy: "Easy", level_medium: "Medium", level_hard: "Hard", level_perfect: "Perfect", your_side: "You play",
  random: "Random", start: "Start", bots_waiting: "Bots that wait", bot_hint: "The bot runs on your device.", exactly: "exactly",
  // Own board
  own_board: "Your own board", columns: "Columns", rows: "Rows", layers: "Layers", w_layers: "Fourth dimension", in_a_row: "In a row",
  fewer: "Fewer: {what}", more: "More: {what}", gravity: "Marks fall to the lowest free cell", misere: "The line loses instead of winning",
  use_board: "Use this board", named_games: "Games", rules_cells: "This board is too large: at most {n} cells.",
  rules_line: "{n} in a row does not fit on this board.", rules_gravity: "Marks need two dimensions to fall.",
  rules_other: "This board is not possible.",
  // Name
  save: "Save",
  // Waiting
  looking: "Looking for an opponent", waiting_others: "Waiting for other games", invite_instead: "Invite a friend instead",
  nobody_waits: "No other players are waiting.", you_play: "you play {mark}", send_link: "Send this link", copy_link: "Copy link",
  share: "Share", link_hint: "The first person who opens the link plays with you. No account is needed.",
  or_code: "Or tell your friend this code", waiting_friend: "Waiting for your friend…", waiting_opponent: "Waiting for an opponent…",
  public_room_hint: "Your room is in the lobby. Anyone can join it.", invited: "You are invited to a game", join_game: "Join the game",
  invitation_hint: "No account is needed.",
  // Game
  your_move: "Your move", is_thinking: "{name} is thinking…", turn_of_x: "{x} (X) is to move.", turn_of_o: "{o} (O) is to move.",
  sending: "Sending {cell}…", you: "you", connected: "connected", away: "disconnected", left: "has left",
  unknown_presence: "unknown while you are offline", no_spectators: "no spectators", offer_draw_button: "Offer draw",
  take_back: "Take back", move_box: "Move or command, e.g. b2", move_box_label: "Move or command", send: "Send",
  unknown_command: "“{text}” is neither a move nor a command.", play_cell: "Play {cell}", tap_another: "Or tap another cell.",
  moves: "Moves", actions: "Actions", players: "Players", first_move: "First move", previous_move: "Previous move", next_move: "Next move",
  last_move: "Last move", move_of: "Move {a} of {b}", back_to_live: "Back to live", no_moves: "No moves yet.", copy_game: "Copy game",
  board: "Board", board_layer: "Layer {name}", cell_empty: "{cell}, empty", cell_mark: "{cell}, {mark}", cell_last: "last move",
  cell_winning: "winning line", cell_falls: "falls to {cell}", cell_pending: "{cell}, {mark}, not confirmed", plays: "{mark} plays {cell}.",
  offer_draw: "{name} offers a draw.", offer_takeback: "{name} asks to take back a move.", offer_rematch: "{name} asks for a rematch.",
  accept: "Accept", decline: "Decline", offered_draw: "You offered a draw.", offered_takeback: "You asked to take back a move.",
  offered_rematch: "You asked for a rematch.", cancel_offer: "Cancel offer", offer_declined: "The offer is declined.",
  taken_back: "Move taken back.",
  // Result
  you_win: "You win!", you_lost: "You lost", draw: "Draw", x_wins: "{x} (X) wins", o_wins: "{o} (O) wins", line_row: "Row {cells}.",
  line_column: "Column {cells}.", line_pillar: "Pillar {cells}.", line_main_diagonal: "Diagonal {cells}.",
  line_other_diagonal: "Diagonal {cells}.", line_space_diagonal: "3-D diagonal {cells}.", line_direction: "Line {cells}.",
  full: "The board is full.", resigned: "{name} resigned.", you_resigned: "You resigned.", flag: "{name} ran out of time.",
  your_flag: "You ran out of time.", agreed: "Both players agreed.", abandoned: "{name} did not come back.",
  your_abandoned: "You were away too long.", abandoned_draw: "No player came back.", score: "Score: you {a} – {b} {name}",
  score_of: "Score: {x} {a} – {b} {o}", draws: { one: "{n} draw", other: "{n} draws" }, rematch: "Rematch", new_opponent: "New opponent",
  // Connection
  connection_lost: "Connection lost. Reconnecting in {n} s.", reconnecting: "Connection lost. Reconnecting…",
  move_kept: "Your move {cell} will be sent when you are back online.", seat_kept: "Your seat is kept.", reconnect_now: "Reconnect now",
  server_restarting: "The server is restarting. Back in {n} s.", opened_elsewhere: "This game is open in another tab.",
  play_here: "Play here", stopped: "The server has ended the connection ({code}).", reload: "Reload", outdated: "This page is out of date.",
  is_disconnected: "{name} is disconnected. You can claim the win in {time}.", is_disconnected_short: "{name} is disconnected.",
  has_left: "{name} has left. You can claim the win in {time}.", claim_on_their_turn: "You can claim the win when it is their turn.",
  claim_now: "{name} is away. You can claim the win.", claim_win: "Claim the win", claim_in: "Claim in {time}", is_back: "{name} is back.",
  opponent_gone: "{name} has left.",
  // Lobby
  waiting_for_opponent: "Waiting for an opponent", games_in_play: "Games in play", open_room: "Open a room", move_n: "move {n}",
  nobody: "No players are waiting. Open a room, or invite a friend.", no_games: "No games in play.", join_code: "Join with a code",
  code: "Code",
  // Settings
  look: "Look", language: "Language", theme: "Theme", theme_device: "Device", theme_light: "Light", theme_dark: "Dark",
  contrast: "Contrast", contrast_normal: "Normal", contrast_high: "High", coordinates: "Show coordinates", confirm: "Confirm each move",
  confirm_small: "Small cells", confirm_always: "Always", confirm_never: "Never", same_cell: "Mark the same cell in other layers",
  clock_alerts: "Announce clocks at 60, 30 and 10 s", done: "Done",
  // Rejects
  reject_stale: "The board has changed. Choose again.", reject_not_your_turn: "It is not your turn.",
  reject_cell_taken: "This cell is taken.", reject_column_full: "This column is full.", reject_off_board: "The board has no such cell.",
  reject_game_over: "The game is over.", reject_game_on: "The game is not over.", reject_not_started: "The game has not begun.",
  reject_no_offer: "The offer is no longer open.", reject_nothing_to_take_back: "You have no move to take back.",
  reject_opponent_left: "Your opponent has left.", reject_not_claimable: "You cannot claim the game yet.",
  reject_already_in_room: "This page is already in a room.", reject_already_seeking: "This page is already looking for an opponent.",
  all_games: "All games", tv: "TV", results: "Results", next_game_in: "Next game in {n} s.", no_other_games: "No other games in play.", open_record: "Replay a game",
};
