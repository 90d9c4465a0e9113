//! Texts that the page loads with its first screen.

page_texts! {
    "page_title": "Noughts", "Noughts", "Noughts", "Noughts";
    "page_title_turn": "● Your move – Noughts", "● Ваш ход – Noughts", "● 轮到你 – Noughts", "● 輪到你 – Noughts";
    "skip": "Skip to content", "К содержанию", "跳到内容", "跳到內容";
    "play": "Play", "Игра", "对局", "對局";
    "lobby": "Lobby", "Лобби", "大厅", "大廳";
    "settings": "Settings", "Настройки", "设置", "設定";
    "navigation": "Navigation", "Навигация", "导航", "導覽";
    "online": "Online", "В сети", "在线", "線上";
    "offline": "Offline", "Нет связи", "离线", "離線";
    "connecting": "Connecting…", "Соединение…", "正在连接…", "正在連線…";
    "ping": "{n} ms", "{n} мс", "{n} 毫秒", "{n} 毫秒";
    "choose_game": "Choose a game", "Выберите игру", "选择游戏", "選擇遊戲";
    "continue": "Continue", "Продолжить", "继续", "繼續";
    "continue_game": "Game to continue", "Незаконченная игра", "未完成的对局", "未完成的對局";
    "continue_room": "Waiting for an opponent", "Ожидание соперника", "等待对手加入", "等待對手加入";
    "continue_over": "Your last game", "Прошлая партия", "上一局", "上一局";
    "continue_against": "{game} against {name}", "{game}, соперник: {name}",
        "{game}，对手 {name}", "{game}，對手 {name}";
    "clock": "Clock", "Часы", "计时", "計時";
    "no_clock": "None", "Без часов", "无", "無";
    "without_clock": terminal;
    "find_opponent": "Find an opponent", "Найти соперника", "寻找对手", "尋找對手";
    "invite_friend": "Invite a friend", "Пригласить друга", "邀请朋友", "邀請朋友";
    "play_bot": "Play a bot", "Играть с ботом", "与机器人对局", "與機器人對局";
    "players_waiting": "Players waiting", "Ждут соперника", "等待中的玩家", "等待中的玩家";
    "nobody": "No players are waiting. Invite a friend, or play a bot.", "Никто не ждёт. Пригласите друга или сыграйте с ботом.",
        "没有等待的玩家。可以邀请朋友，或与机器人对局。", "沒有等待的玩家。可以邀請朋友，或與機器人對局。";
    "join": "Join", "Играть", "加入", "加入";
    "watch": "Watch", "Смотреть", "观看", "觀看";
    "bot_starting": "The bot is starting…", "Бот запускается…", "机器人正在启动…", "機器人正在啟動…";
    "bot_failed": "The bot could not start.", "Бот не смог запуститься.", "机器人无法启动。", "機器人無法啟動。";
    "more_games": "More games", "Другие игры", "更多游戏", "更多遊戲";
    "or_your_own": "or your own", "или своя доска", "或自定义", "或自訂";
    "four_dimensions": "four dimensions", "четыре измерения", "四维", "四維";
    "game_tictactoe": terminal;
    "game_misere": terminal;
    "game_connect4": terminal;
    "game_gomoku": terminal;
    "game_gomoku-exact": terminal;
    "game_gomoku19": terminal;
    "game_tictactoe3d": terminal;
    "game_qubic": terminal;
    "game_score4": terminal;
    "game_tesseract": "3⁴", "3⁴", "3⁴", "3⁴";
    "line_wins": "{n} in a row wins", "{n} в ряд выигрывают", "连成 {n} 子获胜", "連成 {n} 子獲勝";
    "line_loses": "{n} in a row loses", "{n} в ряд проигрывают", "连成 {n} 子判负", "連成 {n} 子判負";
    "marks_fall": "marks fall", "знаки падают", "棋子下落", "棋子下落";
    "exact": "Longer lines do not count", "Более длинный ряд не считается", "长连不算", "長連不算";
    "reject_other": "The server rejected this.", "Сервер отклонил запрос.",
        "服务器拒绝了该请求。", "伺服器拒絕了該請求。";
    "name_rejected": "This name cannot be used. Choose another one.", "Это имя использовать нельзя. Выберите другое.",
        "此名字无法使用，请换一个。", "此名字無法使用，請換一個。";
    "cancel": "Cancel", "Отмена", "取消", "取消";
    "bot": "bot", "бот", "机器人", "機器人";
    "leave_game": "Leave the game", "Выйти из игры", "离开对局", "離開對局";
    "connection_lost_short": "Connection lost.", "Связь прервана.", "连接中断。", "連線中斷。";
    "reconnected": "Reconnected.", "Связь восстановлена.", "已重新连接。", "已重新連線。";
    "room_closed": "The room is closed.", "Комната закрыта.", "房间已关闭。", "房間已關閉。";
    "back": "Back", "Назад", "返回", "返回";
    "seek_gone": "This player is no longer waiting.", "Этот игрок больше не ждёт.",
        "该玩家已不再等待。", "該玩家已不再等待。";
    "live_now": "Live now", "Идут сейчас", "正在进行", "正在進行";
    "no_games": "No games in play.", "Сейчас никто не играет.", "没有进行中的对局。", "沒有進行中的對局。";
    "move_n": "move {n}", "ход {n}", "第 {n} 步", "第 {n} 步";
    "reject_game_over": terminal;
    "spectators": { one: "{n} spectator", other: "{n} spectators" },
        { one: "{n} зритель", few: "{n} зрителя", many: "{n} зрителей", other: "{n} зрителя" },
        { other: "{n} 名观众" }, { other: "{n} 名觀眾" };
}
