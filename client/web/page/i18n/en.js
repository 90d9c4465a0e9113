// Written by a test from the tables in `client/src/i18n`. Change them there.
export default {
  page_title: "Noughts", page_title_turn: "● Your move – Noughts", skip: "Skip to content", play: "Play", lobby: "Lobby", settings: "Settings",
  navigation: "Navigation", online: "Online", offline: "Offline", connecting: "Connecting…", ping: "{n} ms", choose_game: "Choose a game",
  continue: "Continue", continue_game: "Game to continue", continue_room: "Waiting for an opponent", continue_over: "Your last game",
  continue_against: "{game} against {name}", clock: "Clock", no_clock: "None", without_clock: "no clock", find_opponent: "Find an opponent",
  invite_friend: "Invite a friend", play_bot: "Play a bot", players_waiting: "Players waiting",
  nobody: "No players are waiting. Invite a friend, or play a bot.", join: "Join", watch: "Watch", bot_starting: "The bot is starting…",
  bot_failed: "The bot could not start.", more_games: "More games", or_your_own: "or your own", four_dimensions: "four dimensions",
  game_tictactoe: "Tic-tac-toe", game_misere: "Misere tic-tac-toe", game_connect4: "Connect Four", game_gomoku: "Gomoku",
  "game_gomoku-exact": "Gomoku (exactly five)", game_gomoku19: "Gomoku 19", game_tictactoe3d: "3-D tic-tac-toe", game_qubic: "Qubic",
  game_score4: "Score Four", game_tesseract: "3⁴", line_wins: "{n} in a row wins", line_loses: "{n} in a row loses", marks_fall: "marks fall",
  exact: "Longer lines do not count", reject_other: "The server rejected this.", name_rejected: "This name cannot be used. Choose another one.",
  cancel: "Cancel", bot: "bot", leave_game: "Leave the game", connection_lost_short: "Connection lost.", reconnected: "Reconnected.",
  room_closed: "The room is closed.", back: "Back", seek_gone: "This player is no longer waiting.", live_now: "Live now",
  no_games: "No games in play.", move_n: "move {n}", reject_game_over: "The game is over.",
  spectators: { one: "{n} spectator", other: "{n} spectators" },
};
