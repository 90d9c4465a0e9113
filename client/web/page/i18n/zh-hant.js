// Written by a test from the tables in `client/src/i18n`. Change them there.
export default {
  page_title: "Noughts", page_title_turn: "● 輪到你 – Noughts", skip: "跳到內容", play: "對局", lobby: "大廳", settings: "設定", navigation: "導覽",
  online: "線上", offline: "離線", connecting: "正在連線…", ping: "{n} 毫秒", choose_game: "選擇遊戲", continue: "繼續",
  continue_game: "未完成的對局", continue_room: "等待對手加入", continue_over: "上一局", continue_against: "{game}，對手 {name}", clock: "計時",
  no_clock: "無", without_clock: "不計時", find_opponent: "尋找對手", invite_friend: "邀請朋友", play_bot: "與機器人對局",
  players_waiting: "等待中的玩家", nobody: "沒有等待的玩家。可以邀請朋友，或與機器人對局。", join: "加入", watch: "觀看",
  bot_starting: "機器人正在啟動…", bot_failed: "機器人無法啟動。", more_games: "更多遊戲", or_your_own: "或自訂", four_dimensions: "四維",
  game_tictactoe: "井字棋", game_misere: "反井字棋", game_connect4: "四子棋", game_gomoku: "五子棋", "game_gomoku-exact": "五子棋（長連無效）",
  game_gomoku19: "五子棋 19", game_tictactoe3d: "立體井字棋", game_qubic: "Qubic", game_score4: "立體四子棋", game_tesseract: "3⁴",
  line_wins: "連成 {n} 子獲勝", line_loses: "連成 {n} 子判負", marks_fall: "棋子下落", exact: "長連不算", reject_other: "伺服器拒絕了該請求。",
  name_rejected: "此名字無法使用，請換一個。", cancel: "取消", bot: "機器人", leave_game: "離開對局", connection_lost_short: "連線中斷。",
  reconnected: "已重新連線。", room_closed: "房間已關閉。", back: "返回", seek_gone: "該玩家已不再等待。", live_now: "正在進行",
  no_games: "沒有進行中的對局。", move_n: "第 {n} 步", reject_game_over: "棋局已結束。", spectators: { other: "{n} 名觀眾" },
};
