//! Texts of the settings, of watching, of records and of phrases.

page_texts! {
    "look": "Look", "Вид", "外观", "外觀";
    "language": "Language", "Язык", "语言", "語言";
    "theme": "Theme", "Тема", "主题", "主題";
    "theme_device": "Device", "Как в системе", "跟随设备", "跟隨裝置";
    "theme_light": "Light", "Светлая", "浅色", "淺色";
    "theme_dark": "Dark", "Тёмная", "深色", "深色";
    "contrast": "Contrast", "Контраст", "对比度", "對比度";
    "contrast_normal": "Normal", "Обычный", "普通", "普通";
    "contrast_high": "High", "Высокий", "高", "高";
    "coordinates": "Show coordinates", "Показывать координаты", "显示坐标", "顯示座標";
    "confirm": "Confirm each move", "Подтверждать ход", "确认每步", "確認每步";
    "confirm_small": "Small cells", "На мелких клетках", "小格", "小格";
    "confirm_always": "Always", "Всегда", "总是", "總是";
    "confirm_never": "Never", "Никогда", "从不", "從不";
    "same_cell": "Mark the same cell in other layers", "Отмечать ту же клетку в других слоях",
        "标出其他层的同一格", "標出其他層的同一格";
    "clock_alerts": "Announce clocks at 60, 30 and 10 s", "Объявлять время: 60, 30 и 10 с",
        "播报剩余 60、30、10 秒", "播報剩餘 60、30、10 秒";
    "done": "Done", "Готово", "完成", "完成";
    "reject_stale": terminal;
    "reject_not_your_turn": terminal;
    "reject_cell_taken": terminal;
    "reject_column_full": terminal;
    "reject_off_board": terminal;
    "reject_game_on": terminal;
    "reject_not_started": terminal;
    "reject_no_offer": terminal;
    "reject_nothing_to_take_back": terminal;
    "reject_opponent_left": terminal;
    "reject_not_claimable": terminal;
    "reject_already_in_room": terminal;
    "reject_already_seeking": terminal;
    "all_games": "All games", "Все партии", "所有对局", "所有對局";
    "tv": "TV", "Эфир", "直播", "直播";
    "results": "Results", "Результаты", "结果", "結果";
    "next_game_in": "Next game in {n} s.", "Следующая партия через {n} с.", "{n} 秒后下一局。", "{n} 秒後下一局。";
    "no_other_games": "No other games in play.", "Других партий сейчас нет.",
        "没有其他正在进行的对局。", "沒有其他正在進行的對局。";
    "open_record": "Replay a game", "Просмотр записи", "回放对局", "重播對局";
    "replay": "Replay", "Просмотр", "回放", "重播";
    "record_hint": "Paste a game, or drop a game file here.", "Вставьте запись партии или перетащите сюда файл.",
        "粘贴棋谱，或将棋谱文件拖到这里。", "貼上棋譜，或將棋譜檔案拖到這裡。";
    "choose_file": "Choose a file", "Выбрать файл", "选择文件", "選擇檔案";
    "unfinished_game": "Unfinished", "Не окончена", "未完成", "未完成";
    "aborted_game": terminal;
    "record_error": "Line {n}: {text}", "Строка {n}: {text}", "第 {n} 行：{text}", "第 {n} 行：{text}";
    "record_too_long": terminal;
    "record_tag": terminal;
    "record_repeated_tag": terminal;
    "record_no_rules": terminal;
    "record_rules": "These rules are not possible.", "Такие правила невозможны.", "规则无效。", "規則無效。";
    "record_clock": terminal;
    "record_result": terminal;
    "record_number": terminal;
    "record_mismatch": terminal;
    "record_unreadable": "The file cannot be read.", "Файл не читается.", "无法读取文件。", "無法讀取檔案。";
    "say": "Say", "Сказать", "说", "說";
    "close": "Close", "Закрыть", "关闭", "關閉";
    "mute": "Mute {name}", "Не показывать: {name}", "屏蔽 {name}", "隱藏 {name} 的短語";
    "show_phrases": "Show phrases of opponents", "Показывать фразы соперников", "显示对手的短语", "顯示對手的短語";
    "phrase_hello": terminal;
    "phrase_good_luck": terminal;
    "phrase_have_fun": terminal;
    "phrase_nice_move": terminal;
    "phrase_oops": terminal;
    "phrase_thinking": terminal;
    "phrase_sorry": terminal;
    "phrase_well_played": terminal;
    "phrase_good_game": terminal;
    "phrase_thanks": terminal;
    "phrase_one_more": terminal;
    "phrase_bye": terminal;
    "people_online": { one: "{n} person online", other: "{n} people online" },
        { one: "{n} человек в сети", few: "{n} человека в сети", many: "{n} человек в сети", other: "{n} человека в сети" },
        "{n} 人在线", "{n} 人在線上";
    "bots_online": { one: "{n} bot online", other: "{n} bots online" },
        { one: "{n} бот в сети", few: "{n} бота в сети", many: "{n} ботов в сети", other: "{n} бота в сети" },
        "{n} 个机器人在线", "{n} 個機器人在線上";
    "level": "Level", "Уровень", "级别", "等級";
    "link_copied": "Link copied.", "Ссылка скопирована.", "链接已复制。", "連結已複製。";
    "link_selected": "Link selected. Copy it now.", "Ссылка выделена. Скопируйте её.",
        "链接已选中，请复制。", "連結已選中，請複製。";
    "game_copied": "Game copied.", "Партия скопирована.", "棋谱已复制。", "棋譜已複製。";
    "live": "Live", "Идёт", "进行中", "進行中";
    "seconds_left": "{n} seconds left.", "Осталось {n} с.", "剩余 {n} 秒。", "剩餘 {n} 秒。";
}
