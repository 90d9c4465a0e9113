// Written by a test from the tables in `client/src/i18n`. Change them there.
export default {
  page_title: "Noughts", page_title_turn: "● 轮到你 – Noughts", skip: "跳到内容", play: "对局", lobby: "大厅", settings: "设置", navigation: "导航",
  online: "在线", offline: "离线", connecting: "正在连接…", ping: "{n} 毫秒", choose_game: "选择游戏", continue: "继续",
  continue_game: "未完成的对局", continue_room: "等待对手加入", continue_over: "上一局", continue_against: "{game}，对手 {name}", clock: "计时",
  no_clock: "无", without_clock: "不计时", find_opponent: "寻找对手", invite_friend: "邀请朋友", play_bot: "与机器人对局",
  players_waiting: "等待中的玩家", nobody: "没有等待的玩家。可以邀请朋友，或与机器人对局。", join: "加入", watch: "观看",
  bot_starting: "机器人正在启动…", bot_failed: "机器人无法启动。", more_games: "更多游戏", or_your_own: "或自定义", four_dimensions: "四维",
  game_tictactoe: "井字棋", game_misere: "反井字棋", game_connect4: "四子棋", game_gomoku: "五子棋", "game_gomoku-exact": "五子棋（长连无效）",
  game_gomoku19: "五子棋 19", game_tictactoe3d: "立体井字棋", game_qubic: "Qubic", game_score4: "立体四子棋", game_tesseract: "3⁴",
  line_wins: "连成 {n} 子获胜", line_loses: "连成 {n} 子判负", marks_fall: "棋子下落", exact: "长连不算", reject_other: "服务器拒绝了该请求。",
  name_rejected: "此名字无法使用，请换一个。", cancel: "取消", bot: "机器人", leave_game: "离开对局", connection_lost_short: "连接中断。",
  reconnected: "已重新连接。", room_closed: "房间已关闭。", back: "返回", seek_gone: "该玩家已不再等待。", live_now: "正在进行",
  no_games: "没有进行中的对局。", move_n: "第 {n} 步", reject_game_over: "棋局已结束。", spectators: { other: "{n} 名观众" },
};
