page-connection_lost = Нет связи. Повтор через { $n } с.
page-reconnecting = Нет связи. Подключаемся…
page-no_network = Нет сети.
page-reconnect_now = Подключиться сейчас
page-server_restarting = Сервер перезапускается. Вернётся через { $n } с.
page-no_answer = Сервер не отвечает. Попробуйте ещё раз.
page-game_unavailable = Сервер пока не может открыть вашу партию. Подождите.
page-stopped = Соединение закрыто ({ $code }).
page-server_closed = Владелец закрыл сервер.
page-kicked = Оператор завершил это соединение.
page-banned = Оператор закрыл вам доступ к этому серверу.
page-announcement = Оператор: { $text }
page-outdated = Страница устарела.
page-opened_elsewhere = Эта игра открыта в другой вкладке или на другом устройстве.
page-elsewhere = В другой вкладке
page-play_here = Играть здесь
page-reload = Обновить
page-your_name = Ваше имя
page-name_hint = Его видят другие игроки. До 24 букв.
page-identity = Идентификатор
page-identity_title = Играть с другого устройства
page-identity_here = Этот браузер
page-identity_there = Другое устройство
page-identity_copy = Копировать
page-identity_copied = Скопировано
page-identity_own = С этим текстом играют от вашего имени, на любом устройстве.
page-identity_other = Текст с другого устройства
page-identity_import = Перенести
page-identity_forget = Забыть
page-identity_changed = Действует после обновления страницы.
page-identity_wrong = Это не идентификатор: в нём 28 букв и цифр, последние две — для проверки.
page-identity_none = В этом браузере нет идентификатора, или он повреждён.
page-identity_ask = Нынешний идентификатор будет удалён из этого браузера. У вас есть копия его текста?
page-identity_not_kept = Браузер не сохранил идентификатор.
page-change_name = Сменить имя
page-you_play_as = Ваше имя в игре
page-only_you = Кроме вас, здесь никого нет.
page-resign_question = Сдаться?
page-resign_hint = Победит { $name }. Потом можно предложить ещё партию.
page-keep_playing = Играть дальше
page-leave_question = Выйти из игры?
page-leave_hint = Вы её проиграете.
page-close_room_question = Закрыть комнату?
page-close_room_hint = Приглашение перестанет действовать.
page-stay = Остаться
page-leave = Выйти
page-resign = Сдаться
page-your_side = Ваша сторона
page-random = Случайно
page-start = Начать
page-bots_waiting = Боты ждут
page-bot_hint = Бот работает на вашем устройстве.
page-level_first = 1 самый слабый
page-level_last = 8 самый сильный
page-level_never_loses = 8 не проигрывает
page-own_board = Своя доска
page-columns = Столбцы
page-rows = Строки
page-layers = Слои
page-w_layers = Четвёртое измерение
page-in_a_row = В ряд
page-fewer = Меньше: { $what }
page-more = Больше: { $what }
page-misere = Собравший ряд проигрывает
page-use_board = Выбрать эту доску
page-rules_other = Такая доска невозможна.
page-looking = Ищем соперника
page-bots_too = Можно и с ботами
page-bot_meanwhile = Соперника пока нет. Сыграть пока с ботом? Поиск закончится.
page-waiting_others = Ждут в других играх
page-invite_instead = Пригласить друга
page-you_play = вы играете за { $mark }
page-send_link = Отправьте эту ссылку
page-copy_link = Копировать ссылку
page-share = Поделиться
page-link_hint = С вами сыграет первый, кто откроет ссылку. Учётная запись не нужна.
page-or_code = Или продиктуйте этот код
page-or_scan = Или отсканируйте его камерой телефона.
page-waiting_friend = Ждём вашего друга…
page-link_opened = Ссылка открыта, ждём решения…
page-waiting_opponent = Ждём соперника…
page-joined = { $name } в игре
page-your_room = Ваша комната
page-public_room_hint = Ваша комната видна в лобби. К ней может присоединиться любой.
page-invited = Вас пригласили в игру
page-invited_by = { $name } приглашает вас: { $game }
page-join_game = Присоединиться
page-link_gone = Приглашение больше не действует
page-link_gone_hint = Попросите новую ссылку или начните игру.
page-game_gone_hint = Партия закончена. Посмотрите другую или начните свою.
page-watch_others = Смотреть другие
page-link_failed = Ссылку сейчас не открыть
page-try_again = Повторить
page-start_game = Начать игру
page-enter_code = Ввести код
page-not_code = Это не код. Код выглядит так: { $code }. Можно вставить и ссылку.
page-seats_taken = Оба места заняты
page-seats_taken_hint = Эту игру можно смотреть.
page-own_game = Начать свою игру
page-invitation_hint = Учётная запись не нужна.
page-continue = Продолжить
page-continue_game = Ваша игра продолжается
page-continue_room = Ожидание соперника
page-continue_over = Прошлая партия
page-continue_against = { $game }, соперник: { $name }
page-alone = Бот, задача дня и ваши партии доступны.
page-alone_hint = Чтобы найти соперника или пригласить друга, нужна связь с сервером.
page-lists_offline = Нет связи: неизвестно, кто ждёт и кто играет.
page-players_waiting = Ждут соперника
page-nobody = Никто не ждёт. Пригласите друга или сыграйте с ботом.
page-join = Играть
page-bot_starting = Бот запускается…
page-bot_failed = Бот не смог запуститься.
page-reject_other = Сервер отклонил запрос.
page-name_rejected = До 24 букв, без невидимых символов.
page-cancel = Отмена
page-bot = бот
page-connection_lost_short = Связь прервана.
page-reconnected = Связь восстановлена.
page-room_closed = Комната закрыта.
page-room_closed_operator = Оператор закрыл эту комнату.
page-back = Назад
page-not_waiting = Больше не ждёт.
page-seek_gone = Этот игрок уже не ждёт.
page-no_games = Сейчас никто не играет.
page-move_n = ход { $n }
page-spectators = { $n ->
        [one] { $n } зритель
        [few] { $n } зрителя
        [many] { $n } зрителей
       *[other] { $n } зрителя
    }
page-ping = { $n } мс

page-your_move = Ваш ход
page-now_you_play = Теперь вы играете за { $mark }
page-is_thinking = { $name } думает…
page-turn_of_x = Ходит { $x } (X).
page-turn_of_o = Ходит { $o } (O).
page-sending = Отправляем { $cell }…
page-you = вы
page-unknown_presence = неизвестно, пока нет связи
page-offer_draw_button = Ничья
page-take_back = Вернуть ход
page-move_box = Ход или команда, например { $cell }
page-move_box_label = Ход или команда
page-send = Отправить
page-unknown_command = «{ $text }» — не ход и не команда.
page-play_cell = Ход { $cell }
page-tap_another = Или коснитесь другой клетки.
page-moves = Ходы
page-actions = Действия
page-players = Игроки
page-first_move = Первый ход
page-previous_move = Предыдущий ход
page-next_move = Следующий ход
page-last_move = Последний ход
page-move_of = Ход { $a } из { $b }
page-back_to_game = Вернуться к партии
page-back_to_result = Результат
page-no_moves = Ходов ещё нет.
page-line_other_diagonal = Диагональ{ line-cells }
page-line_main_diagonal = Диагональ{ line-cells }
page-copy_game = Запись
page-game_link = Ссылка
page-save_picture = Картинка
page-picture_failed = Не удалось сохранить картинку.
page-board = Доска
page-board_layer = Слой { $name }
page-cell_empty = { $cell }, пусто
page-cell_mark = { $cell }, { $mark }
page-cell_last = последний ход
page-cell_winning = выигрышный ряд
page-cell_falls = падает на { $cell }
page-cell_row = { $column }, ряд { $row }
page-cell_pending = { $cell }, { $mark }, не подтверждён
page-plays = { $mark } ходит { $cell }.
page-accept = Принять
page-decline = Отклонить
page-cancel_offer = Отменить
page-taken_back = Ход возвращён.
page-x_wins = { $x } (X) побеждает
page-o_wins = { $o } (O) побеждает
page-your_abandoned = Вас слишком долго не было.
page-draws = { $n ->
        [one] { $n } ничья
        [few] { $n } ничьи
        [many] { $n } ничьих
       *[other] { $n } ничьи
    }
page-rematch = Ещё партию
page-easier_bot = Бот слабее ({ $n })
page-harder_bot = Бот сильнее ({ $n })
page-other_bot = Другой бот
page-next_game = Следующая партия
page-new_opponent = Новый соперник
page-move_kept = Ваш ход { $cell } будет отправлен, когда связь вернётся.
page-seat_kept = Ваше место сохраняется.
page-is_disconnected = { $name } не на связи.
page-claim_on_their_turn = Сделайте ход, и можно будет потребовать победу.
page-claim_now = Можно потребовать победу.
page-claim_win = Потребовать победу
page-substitute = Пусть играет бот
page-substitute_waiting = Ждём, пока бот займёт место.
page-seat_taken = { $name } занимает место.
page-claim_in = Победу можно потребовать через { $time }.
page-is_back = { $name } снова на связи.
page-opponent_gone = { $name } не в игре.
page-waiting_for_opponent = Ждут соперника
page-games_in_play = Идущие игры
page-open_room = Открыть комнату
page-join_code = Войти по коду
page-code = Код

page-look = Вид
page-language = Язык
page-theme = Тема
page-theme_device = Как в системе
page-theme_light = Светлая
page-theme_dark = Тёмная
page-contrast = Контраст
page-contrast_normal = Обычный
page-contrast_high = Высокий
page-coordinates = Показывать координаты
page-confirm = Подтверждать ход
page-confirm_small = На мелких клетках
page-confirm_always = Всегда
page-confirm_never = Никогда
page-same_cell = Отмечать ту же клетку в других слоях
page-clock_alerts = Объявлять время: 60, 30 и 10 с
page-done = Готово
page-all_games = Все партии
page-tv = Эфир
page-results = Результаты
page-next_game_in = Следующая партия через { $n } с.
page-no_other_games = Других партий сейчас нет.
page-open_record = Открыть сохранённую партию…
page-replay = Просмотр
page-play_this_game = Играть в эту игру
page-record_hint = Вставьте запись партии или перетащите сюда файл.
page-choose_file = Выбрать файл
page-unfinished_game = Не окончена
page-record_error = Строка { $n }: { $text }
page-record_rules = Такие правила невозможны.
page-record_unreadable = Файл не читается.
page-no_kept_games = Здесь будут ваши сыгранные партии: их можно просмотреть, показать и разобрать.
page-games_total = { $n ->
        [one] { $n } партия: побед { $won }, ничьих { $drawn }
        [few] { $n } партии: побед { $won }, ничьих { $drawn }
       *[many] { $n } партий: побед { $won }, ничьих { $drawn }
    }
page-games_kept_here = Этот браузер хранит 50 последних партий. На других устройствах их нет.
page-games_on_server = Только на этом сервере
page-older_games = Более ранние партии
page-profile_of = Профиль: { $name }
page-profile_against = Ваш счёт с этим игроком: побед { $won }, ничьих { $drawn }, поражений { $lost }
page-profile_since = С { $date }; учитывается не более 1000 партий.
page-profile_latest = Последние партии
page-result_won = Победа
page-result_lost = Поражение
page-result_drawn = Ничья
page-result_unfinished = Не окончена
page-delete_game = Удалить партию с игроком { $name }
page-delete_all = Удалить все
page-games_deleted = { $n ->
        [one] Удалена { $n } партия.
        [few] Удалены { $n } партии.
       *[many] Удалено { $n } партий.
    }
page-undo = Вернуть
page-review = Разбор
page-next_mistake = Следующая ошибка
page-no_mistake = Ошибок не найдено.
page-finding_mistake = Анализ: { $a } из { $b }
page-review_failed = Не удалось оценить ходы. Попробуйте ещё раз.
page-verdict_best = лучший ход
page-verdict_fine = хороший ход
page-mistake_column_loss = Ход { $n }: столбец { $cell } отдаёт сопернику верную победу. Лучше столбец { $best }.
page-mistake_column_win = Ход { $n }: столбец { $cell }. Форсированно выигрывал столбец { $best }.
page-mistake_cell_loss = Ход { $n }: клетка { $cell } отдаёт сопернику верную победу. Лучше клетка { $best }.
page-mistake_cell_win = Ход { $n }: клетка { $cell }. Форсированно выигрывала клетка { $best }.
page-own_mistake = Ваша ошибка { $a } из { $b }
page-mistake_of = { $name }: ошибка { $a } из { $b }
page-cell_better = { $cell }, пусто, более сильный ход
page-link_bad = В этой ссылке нет партии. Возможно, она обрезана.
page-link_unsupported = Этот браузер не читает и не создаёт ссылки на партии. Нужен более новый.
page-link_too_long = Партия слишком длинная для ссылки.
page-start_page = На главную
page-opening_game = Открываем партию…
page-say = Сказать
page-close = Закрыть
page-mute = Не показывать: { $name }
page-phrases = Показывать фразы соперников
page-sounds = Звуки и вибрация
page-people_online = { $n ->
        [one] { $n } человек в сети
        [few] { $n } человека в сети
        [many] { $n } человек в сети
       *[other] { $n } человека в сети
    }
page-bots_online = { $n ->
        [one] { $n } бот в сети
        [few] { $n } бота в сети
        [many] { $n } ботов в сети
       *[other] { $n } бота в сети
    }
page-level = Уровень
page-bot_level = Бот { $n } ({ $level })

page-link_copied = Ссылка скопирована.
page-link_selected = Ссылка выделена. Скопируйте её.
page-game_copied = Партия скопирована.
page-seconds_left = Осталось { $n } с.

page-puzzle = Задача дня
page-puzzle_streak = { $n ->
        [one] { $n } день подряд
        [few] { $n } дня подряд
        [many] { $n } дней подряд
       *[other] { $n } дня подряд
    }
page-puzzle_task = { $n ->
        [one] Ход { $mark }: победа в { $n } ход
        [few] Ход { $mark }: победа в { $n } хода
        [many] Ход { $mark }: победа в { $n } ходов
       *[other] Ход { $mark }: победа в { $n } хода
    }
page-puzzle_wrong = { $n ->
        [one] Так не выиграть в { $n } ход. Попробуйте ещё раз.
        [few] Так не выиграть в { $n } хода. Попробуйте ещё раз.
        [many] Так не выиграть в { $n } ходов. Попробуйте ещё раз.
       *[other] Так не выиграть в { $n } хода. Попробуйте ещё раз.
    }
page-puzzle_show = Показать решение
page-puzzle_show_question = Показать решение?
page-puzzle_streak_ends = { $n ->
        [one] Серия из { $n } дня закончится.
        [few] Серия из { $n } дней закончится.
        [many] Серия из { $n } дней закончится.
       *[other] Серия из { $n } дня закончится.
    }
page-puzzle_first_try = Решено с первой попытки
page-puzzle_tries = { $n ->
        [one] Решено: { $n } попытка
        [few] Решено: { $n } попытки
        [many] Решено: { $n } попыток
       *[other] Решено: { $n } попытки
    }
page-puzzle_given_up = Не решено
page-puzzle_misere = Любой ход { $mark } завершает линию.
page-puzzle_next = Новая задача — завтра.
page-puzzle_result = { $n ->
        [one] Задача Noughts { $date }: { $game }, победа в { $n } ход
        [few] Задача Noughts { $date }: { $game }, победа в { $n } хода
        [many] Задача Noughts { $date }: { $game }, победа в { $n } ходов
       *[other] Задача Noughts { $date }: { $game }, победа в { $n } хода
    }
page-puzzle_copy = Скопировать
page-puzzle_copied = Результат скопирован.
page-help = Справка
page-help_start = «Найти соперника» ждёт первого игрока, который хочет ту же игру. «Пригласить друга» создаёт ссылку: друг открывает её и играет.
page-help_board = Нажмите клетку, чтобы сделать ход. На мелких клетках первое касание выбирает клетку, второе делает ход. Если соперник долго отсутствует, можно потребовать победу или отдать его место боту.
page-help_keys = Клавиши на доске: стрелки, Home и End перемещают; Page Up и Page Down меняют слой, с Shift — по четвёртой оси; Enter делает ход; Escape отменяет выбор; , и . листают ходы; цифры от 1 до 6 говорят фразу из открытого списка; l, c, o, t и b читают вслух последний ход, часы, соперника, очередь хода и доску.
page-help_box = Поле для ходов принимает эти буквы, клетки, например b2 или b2-3, и draw, undo, resign.
page-help_games = Этот браузер хранит последние 50 сыгранных партий, на сервере их нет. В ссылке на партию — вся партия.
page-help_tabs = Партия продолжается после обновления страницы, обрыва связи и перезапуска сервера. Две вкладки могут играть две партии. С вашим идентификатором их можно продолжить и на другом устройстве.
