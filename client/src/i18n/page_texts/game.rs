//! Texts of a game and of its result.

page_texts! {
    "your_move": "Your move", "Ваш ход", "轮到你", "輪到你";
    "is_thinking": "{name} is thinking…", "{name} думает…", "{name} 正在思考…", "{name} 正在思考…";
    "turn_of_x": "{x} (X) is to move.", "Ходит {x} (X).", "轮到 {x} (X)。", "輪到 {x} (X)。";
    "turn_of_o": "{o} (O) is to move.", "Ходит {o} (O).", "轮到 {o} (O)。", "輪到 {o} (O)。";
    "sending": "Sending {cell}…", "Отправляем {cell}…", "正在发送 {cell}…", "正在傳送 {cell}…";
    "you": "you", "вы", "你", "你";
    "connected": terminal;
    "away": terminal;
    "left": terminal;
    "unknown_presence": "unknown while you are offline", "неизвестно, пока нет связи", "你离线时未知", "你離線時未知";
    "offer_draw_button": "Offer draw", "Ничья", "提和", "提和";
    "take_back": "Take back", "Вернуть ход", "悔棋", "悔棋";
    "move_box": "Move or command, e.g. b2", "Ход или команда, например b2",
        "着法或命令，例如 b2", "著法或命令，例如 b2";
    "move_box_label": "Move or command", "Ход или команда", "着法或命令", "著法或命令";
    "send": "Send", "Отправить", "发送", "傳送";
    "unknown_command": "“{text}” is neither a move nor a command.", "«{text}» — не ход и не команда.",
        "“{text}”不是着法，也不是命令。", "「{text}」不是著法，也不是命令。";
    "play_cell": "Play {cell}", "Ход {cell}", "下 {cell}", "下 {cell}";
    "tap_another": "Or tap another cell.", "Или коснитесь другой клетки.", "或点击其他格。", "或點擊其他格。";
    "moves": "Moves", "Ходы", "着法", "著法";
    "actions": "Actions", "Действия", "操作", "操作";
    "players": "Players", "Игроки", "玩家", "玩家";
    "first_move": "First move", "Первый ход", "第一步", "第一步";
    "previous_move": "Previous move", "Предыдущий ход", "上一步", "上一步";
    "next_move": "Next move", "Следующий ход", "下一步", "下一步";
    "last_move": "Last move", "Последний ход", "最后一步", "最後一步";
    "move_of": "Move {a} of {b}", "Ход {a} из {b}", "第 {a} 步，共 {b} 步", "第 {a} 步，共 {b} 步";
    "back_to_live": "Back to live", "К текущей позиции", "回到当前", "回到當前";
    "no_moves": "No moves yet.", "Ходов ещё нет.", "尚无着法。", "尚無著法。";
    "copy_game": "Copy game", "Копировать партию", "复制棋谱", "複製棋譜";
    "board": "Board", "Доска", "棋盘", "棋盤";
    "board_layer": "Layer {name}", "Слой {name}", "层 {name}", "層 {name}";
    "cell_empty": "{cell}, empty", "{cell}, пусто", "{cell}，空", "{cell}，空";
    "cell_mark": "{cell}, {mark}", "{cell}, {mark}", "{cell}，{mark}", "{cell}，{mark}";
    "cell_last": "last move", "последний ход", "最后一步", "最後一步";
    "cell_winning": "winning line", "выигрышный ряд", "连线", "成線";
    "cell_falls": "falls to {cell}", "падает на {cell}", "落到 {cell}", "落到 {cell}";
    "cell_pending": "{cell}, {mark}, not confirmed", "{cell}, {mark}, не подтверждён",
        "{cell}，{mark}，未确认", "{cell}，{mark}，未確認";
    "plays": "{mark} plays {cell}.", "{mark} ходит {cell}.", "{mark} 下 {cell}。", "{mark} 下 {cell}。";
    "offer_draw": terminal;
    "offer_takeback": terminal;
    "offer_rematch": terminal;
    "accept": "Accept", "Принять", "接受", "接受";
    "decline": "Decline", "Отклонить", "拒绝", "拒絕";
    "offered_draw": terminal;
    "offered_takeback": terminal;
    "offered_rematch": terminal;
    "cancel_offer": "Cancel offer", "Отменить", "撤回", "撤回";
    "declined_draw": terminal;
    "declined_takeback": terminal;
    "declined_rematch": terminal;
    "taken_back": "Move taken back.", "Ход возвращён.", "已悔棋。", "已悔棋。";
    "you_win": terminal;
    "you_lost": terminal;
    "draw": terminal;
    "x_wins": terminal;
    "o_wins": terminal;
    "line_row": terminal;
    "line_column": terminal;
    "line_pillar": terminal;
    "line_main_diagonal": terminal;
    "line_other_diagonal": terminal;
    "line_space_diagonal": terminal;
    "line_direction": terminal;
    "full": terminal;
    "resigned": terminal;
    "you_resigned": terminal;
    "flag": terminal;
    "agreed": terminal;
    "abandoned": terminal;
    "your_abandoned": "You were away too long.", "Вас слишком долго не было.", "你离开太久。", "你離開太久。";
    "abandoned_draw": terminal;
    "score": "Score: you {a} – {b} {name}", "Счёт: вы {a} – {b} {name}",
        "比分：你 {a} – {b} {name}", "比分：你 {a} – {b} {name}";
    "score_of": "Score: {x} {a} – {b} {o}", "Счёт: {x} {a} – {b} {o}",
        "比分：{x} {a} – {b} {o}", "比分：{x} {a} – {b} {o}";
    "draws": { one: "{n} draw", other: "{n} draws" }, { one: "{n} ничья", few: "{n} ничьи", many: "{n} ничьих", other: "{n} ничьи" },
        { other: "{n} 和" }, { other: "{n} 和" };
    "rematch": "Rematch", "Ещё партию", "再来一局", "再來一局";
    "new_opponent": "New opponent", "Новый соперник", "新对手", "新對手";
    "move_kept": "Your move {cell} will be sent when you are back online.", "Ваш ход {cell} будет отправлен, когда связь вернётся.",
        "恢复连接后将发送你的着法 {cell}。", "恢復連線後將傳送你的著法 {cell}。";
    "seat_kept": "Your seat is kept.", "Ваше место сохраняется.", "你的座位会保留。", "你的座位會保留。";
    "is_disconnected": "{name} is disconnected.", "{name} не на связи.", "{name} 已断开。", "{name} 已斷線。";
    "claim_on_their_turn": "You can claim the win when it is their turn.", "Победу можно потребовать, когда ходит соперник.",
        "轮到对手时可以判胜。", "輪到對手時可以判勝。";
    "claim_now": "You can claim the win.", "Можно потребовать победу.", "你可以判胜。", "你可以判勝。";
    "claim_win": "Claim the win", "Потребовать победу", "判胜", "判勝";
    "substitute": "Call a bot", "Позвать бота", "让机器人接手", "讓機器人接手";
    "substitute_waiting": "Waiting for a bot to take the seat.", "Ждём, пока бот займёт место.",
        "正在等待机器人接手。", "正在等待機器人接手。";
    "seat_taken": "{name} takes the seat.", "{name} занимает место.", "{name} 接手对局。", "{name} 接手對局。";
    "claim_in": "You can claim the win in {time}.", "Победу можно потребовать через {time}.",
        "{time} 后可判胜。", "{time} 後可判勝。";
    "is_back": "{name} is back.", "{name} снова на связи.", "{name} 回来了。", "{name} 回來了。";
    "opponent_gone": "{name} has left.", "{name} не в игре.", "{name} 已离开。", "{name} 已離開。";
    "waiting_for_opponent": "Waiting for an opponent", "Ждут соперника", "等待对手", "等待對手";
    "games_in_play": "Games in play", "Идущие игры", "进行中的对局", "進行中的對局";
    "open_room": "Open a room", "Открыть комнату", "开设房间", "開設房間";
    "join_code": "Join with a code", "Войти по коду", "用邀请码加入", "用邀請碼加入";
    "code": "Code", "Код", "邀请码", "邀請碼";
}
