//! Texts of the screens before a game.

page_texts! {
    "connection_lost": "No connection. Reconnecting in {n} s.", "Нет связи. Повтор через {n} с.",
        "没有连接，{n} 秒后重连。", "沒有連線，{n} 秒後重新連線。";
    "reconnecting": "No connection. Reconnecting…", "Нет связи. Подключаемся…",
        "没有连接，正在重连…", "沒有連線，正在重新連線…";
    "no_network": "No network.", "Нет сети.", "没有网络。", "沒有網路。";
    "reconnect_now": "Reconnect now", "Подключиться сейчас", "立即重连", "立即重新連線";
    "server_restarting": "The server is restarting. Back in {n} s.", "Сервер перезапускается. Вернётся через {n} с.",
        "服务器正在重启，{n} 秒后恢复。", "伺服器正在重新啟動，{n} 秒後恢復。";
    "no_answer": "The server does not answer. Try again.", "Сервер не отвечает. Попробуйте ещё раз.",
        "服务器没有响应，请重试。", "伺服器沒有回應，請重試。";
    "game_unavailable": "The server cannot open your game yet. Please wait.", "Сервер пока не может открыть вашу партию. Подождите.",
        "服务器暂时无法打开你的对局，请稍候。", "伺服器暫時無法開啟你的對局，請稍候。";
    "stopped": "The server has ended the connection ({code}).", "Сервер закрыл соединение ({code}).",
        "服务器已断开连接（{code}）。", "伺服器已中斷連線（{code}）。";
    "server_closed": "The host has closed the server.", "Владелец закрыл сервер.",
        "房主已关闭服务器。", "房主已關閉伺服器。";
    "outdated": "This page is out of date.", "Страница устарела.", "此页面已过期。", "此頁面已過期。";
    "opened_elsewhere": "This game is open in another tab.", "Эта игра открыта в другой вкладке.",
        "此对局已在另一标签页打开。", "此對局已在另一分頁開啟。";
    "play_here": "Play here", "Играть здесь", "在此继续", "在此繼續";
    "reload": "Reload", "Обновить", "重新加载", "重新載入";
    "reject_unknown_room": terminal;
    "reject_room_full": terminal;
    "reject_server_full": terminal;
    "reject_draining": terminal;
    "reject_bad_field": terminal;
    "reject_rate_limited": terminal;
    "reject_busy": terminal;
    "reject_unavailable": terminal;
    "reject_not_a_player": terminal;
    "reject_flag_not_fallen": terminal;
    "your_name": "Your name", "Ваше имя", "你的名字", "你的名字";
    "name_hint": "Other players see this name.", "Его видят другие игроки.",
        "其他玩家会看到此名字。", "其他玩家會看到此名字。";
    "resign_question": "Resign this game?", "Сдаться?", "要认输吗？", "要認輸嗎？";
    "resign_hint": "{name} wins. You can ask for a rematch.", "Победит {name}. Потом можно предложить ещё партию.",
        "{name} 获胜。之后可再来一局。", "{name} 獲勝。之後可再來一局。";
    "keep_playing": "Keep playing", "Играть дальше", "继续对局", "繼續對局";
    "leave_question": "Leave this game?", "Выйти из игры?", "要离开对局吗？", "要離開對局嗎？";
    "leave_hint": "Your opponent can claim the win soon.", "Соперник скоро сможет потребовать победу.",
        "对手很快可以判胜。", "對手很快可以判勝。";
    "close_room_question": "Close this room?", "Закрыть комнату?", "关闭这个房间？", "關閉這個房間？";
    "close_room_hint": "Your invitation will no longer work.", "Приглашение перестанет действовать.",
        "邀请将失效。", "邀請將失效。";
    "stay": "Stay", "Остаться", "留下", "留下";
    "leave": "Leave", "Выйти", "离开", "離開";
    "resign": "Resign", "Сдаться", "认输", "認輸";
    "level_novice": terminal;
    "level_easy": terminal;
    "level_casual": terminal;
    "level_medium": terminal;
    "level_skilled": terminal;
    "level_strong": terminal;
    "level_hard": terminal;
    "level_perfect": terminal;
    "your_side": "You play", "Ваша сторона", "你执", "你執";
    "random": "Random", "Случайно", "随机", "隨機";
    "start": "Start", "Начать", "开始", "開始";
    "bots_waiting": "Bots waiting", "Боты ждут", "等待中的机器人", "等待中的機器人";
    "no_bots": "No other bots are connected.", "Других ботов нет.", "没有其他机器人。", "沒有其他機器人。";
    "bot_hint": "The bot runs on your device.", "Бот работает на вашем устройстве.",
        "机器人在你的设备上运行。", "機器人在你的裝置上執行。";
    "own_board": "Your own board", "Своя доска", "自定义棋盘", "自訂棋盤";
    "columns": "Columns", "Столбцы", "列", "行";
    "rows": "Rows", "Строки", "行", "列";
    "layers": "Layers", "Слои", "层", "層";
    "w_layers": "Fourth dimension", "Четвёртое измерение", "第四维", "第四維";
    "in_a_row": "In a row", "В ряд", "连子数", "連子數";
    "fewer": "Fewer: {what}", "Меньше: {what}", "减少：{what}", "減少：{what}";
    "more": "More: {what}", "Больше: {what}", "增加：{what}", "增加：{what}";
    "gravity": "Marks fall to the lowest free cell", "Знаки падают на нижнюю свободную клетку",
        "棋子落到最低的空格", "棋子落到最低的空格";
    "misere": "The line loses instead of winning", "Собравший ряд проигрывает",
        "连成线的一方判负", "連成線的一方判負";
    "use_board": "Use this board", "Выбрать эту доску", "使用此棋盘", "使用此棋盤";
    "rules_cells": terminal;
    "rules_line": terminal;
    "rules_gravity": terminal;
    "rules_other": "This board is not possible.", "Такая доска невозможна.", "无法使用此棋盘。", "無法使用此棋盤。";
    "looking": "Looking for an opponent", "Ищем соперника", "正在寻找对手", "正在尋找對手";
    "waiting_others": "Waiting for other games", "Ждут в других играх", "其他游戏的等待者", "其他遊戲的等待者";
    "invite_instead": "Invite a friend instead", "Пригласить друга", "改为邀请朋友", "改為邀請朋友";
    "nobody_waits": "No other players are waiting.", "Других ожидающих игроков нет.",
        "没有其他等待者。", "沒有其他等待者。";
    "you_play": "you play {mark}", "вы играете за {mark}", "你执 {mark}", "你執 {mark}";
    "send_link": "Send this link", "Отправьте эту ссылку", "发送此链接", "傳送此連結";
    "copy_link": "Copy link", "Копировать ссылку", "复制链接", "複製連結";
    "share": "Share", "Поделиться", "分享", "分享";
    "link_hint": "The first person who opens the link plays with you. No account is needed.",
        "С вами сыграет первый, кто откроет ссылку. Учётная запись не нужна.",
        "第一个打开链接的人与你对局，无需账号。", "第一個開啟連結的人與你對局，無需帳號。";
    "or_code": "Or tell your friend this code", "Или продиктуйте этот код",
        "或告诉朋友此邀请码", "或告訴朋友此邀請碼";
    "or_scan": "Or scan it with a phone camera.", "Или отсканируйте его камерой телефона.",
        "或用手机相机扫描。", "或用手機相機掃描。";
    "waiting_friend": "Waiting for your friend…", "Ждём вашего друга…", "等待朋友…", "等待朋友…";
    "waiting_opponent": "Waiting for an opponent…", "Ждём соперника…", "等待对手…", "等待對手…";
    "public_room_hint": "Your room is in the lobby. Anyone can join it.", "Ваша комната видна в лобби. К ней может присоединиться любой.",
        "你的房间在大厅中，任何人都可加入。", "你的房間在大廳中，任何人都可加入。";
    "invited": "You are invited to a game", "Вас пригласили в игру", "你被邀请参加对局", "你被邀請參加對局";
    "join_game": "Join the game", "Присоединиться", "加入对局", "加入對局";
    "link_gone": "This link is no longer valid", "Ссылка больше не действует", "此链接已失效", "此連結已失效";
    "link_gone_hint": "Ask for a new link, or start a game.", "Попросите новую ссылку или начните игру.",
        "请对方发一个新链接，或自己开始一局。", "請對方傳一個新連結，或自己開始一局。";
    "game_gone_hint": "The game is over. Watch another game, or start your own.", "Партия закончена. Посмотрите другую или начните свою.",
        "这一局已经结束。可以观看其他对局，或自己开始一局。", "這一局已經結束。可以觀看其他對局，或自己開始一局。";
    "watch_others": "Watch other games", "Смотреть другие", "观看其他对局", "觀看其他對局";
    "link_failed": "The link cannot be opened now", "Ссылку сейчас не открыть", "暂时无法打开此链接", "暫時無法開啟此連結";
    "try_again": "Try again", "Повторить", "重试", "重試";
    "start_game": "Start a game", "Начать игру", "开始一局", "開始一局";
    "enter_code": "Enter a code", "Ввести код", "输入邀请码", "輸入邀請碼";
    "seats_taken": "Both seats are taken", "Оба места заняты", "两个座位都有人", "兩個座位都有人";
    "seats_taken_hint": "You can watch this game.", "Эту игру можно смотреть.", "你可以观看这一局。", "你可以觀看這一局。";
    "own_game": "Start your own game", "Начать свою игру", "自己开一局", "自己開一局";
    "invitation_hint": "No account is needed.", "Учётная запись не нужна.", "无需账号。", "無需帳號。";
}
