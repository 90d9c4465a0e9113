page-page_title_turn = ● Ваш ход – Noughts
page-skip = К содержанию
page-play = Игра
page-lobby = Лобби
page-settings = Настройки
page-navigation = Навигация
page-online = В сети
page-offline = Нет связи
page-connecting = Соединение…
page-ping = { $n } мс
page-choose_game = Выберите игру
page-continue = Продолжить
page-continue_game = Незаконченная игра
page-continue_room = Ожидание соперника
page-continue_over = Прошлая партия
page-continue_against = { $game }, соперник: { $name }
page-clock = Часы
page-no_clock = Без часов
page-find_opponent = Найти соперника
page-invite_friend = Пригласить друга
page-play_bot = Играть с ботом
page-players_waiting = Ждут соперника
page-nobody = Никто не ждёт. Пригласите друга или сыграйте с ботом.
page-join = Играть
page-watch = Смотреть
page-bot_starting = Бот запускается…
page-bot_failed = Бот не смог запуститься.
page-more_games = Другие игры
page-or_your_own = или своя доска
page-four_dimensions = четыре измерения
page-line_wins = { $n } в ряд выигрывают
page-line_loses = { $n } в ряд проигрывают
page-marks_fall = знаки падают
page-exact = Более длинный ряд не считается
page-torus = Края соединены
page-reject_other = Сервер отклонил запрос.
page-name_rejected = Это имя использовать нельзя. Выберите другое.
page-cancel = Отмена
page-bot = бот
page-leave_game = Выйти из игры
page-connection_lost_short = Связь прервана.
page-reconnected = Связь восстановлена.
page-room_closed = Комната закрыта.
page-back = Назад
page-seek_gone = Этот игрок больше не ждёт.
page-live_now = Идут сейчас
page-no_games = Сейчас никто не играет.
page-move_n = ход { $n }
page-spectators = { $n ->
        [one] { $n } зритель
        [few] { $n } зрителя
        [many] { $n } зрителей
       *[other] { $n } зрителя
    }
