tagline = Крестики-нолики, гомоку, четыре в ряд и другие

menu-hint =
    .quick = найти соперника
    .private = пригласить друга
    .host = играть с друзьями здесь
    .join = ввести код
    .watch = войти или смотреть
    .local = на этом компьютере
    .bot = без сети
    .puzzle = новая позиция каждый день
    .own_games = законченные партии
    .settings = имя, язык, цвета
menu-again = Ещё раз
menu-continue = Продолжить
menu-join = Войти
menu-watch = Комнаты
menu-quit = Выход
menu-count-quick = найти соперника, ждут: { $waiting }
menu-waiting = { $name } ждёт: { $game }
menu-count-watch = войти или смотреть, партии: { $games }
needs-server = нужен сервер
home-server = Сервер
home-you = Вы
server-asked = подключение ...
server-online = на связи
server-retry = нет связи, повтор через { $left }
server-help = { $key } повторить   или другой сервер в настройках
lobby-numbers = люди: { $people }  боты: { $bots }  партии: { $games }
column-player = Игрок
column-game = Игра
column-clock = Часы
column-you-play = Вы за
column-waiting = Ждёт
column-players = Игроки
column-spectators = Зрит.
column-status = Статус
random-seat = случайно
free-seat = (место)
seeks-title = ИЩУТ СОПЕРНИКА
rooms-title = КОМНАТЫ
lobby-title = Комнаты на { $host }
empty-lobby = Здесь пока никого нет.
nobody-waits = Никого нет. Сыграть пока с ботом?
similar-seeks = Эту игру ищут другие, но с другими часами или другой стороной.
tv-title = ТВ
no-running-game = СЕЙЧАС ИГР НЕТ. Следующая появится сама.
waiting-title-seek = Поиск соперника
waiting-title-connect = Подключение
seeking-headline = ИЩЕМ СОПЕРНИКА
game-starts-by-itself = Партия начнётся, как только найдётся соперник.
meanwhile = А пока
games-watched = { $count } { $count ->
        [one] партия
        [few] партии
       *[many] партий
    }
watching-games = Просмотр: { $games }
games-hidden = Ещё { $count } { $count ->
        [one] партия не помещается
        [few] партии не помещаются
       *[many] партий не помещаются
    }.
board-needs = Доске нужно { $columns }x{ $rows }.
key-shows-alone = { $key } - показать одну эту партию.
several-games-help = { $games }. Введите номер, чтобы выбрать партию и показать её доску; q - выйти.
offer-bot = играть с компьютером
offer-host = пригласить друга сюда
offer-server = выбрать другой сервер
offer-retry = попробовать снова
offer-invitation = пригласить друга
offer-search = искать соперника
no-server = Нет сервера { $server }
nobody-plays = Сейчас никто не играет
others-waiting = Ждут и другие
accepts-seek = сыграть с выбранным игроком
who-else-numbers = ждут: { $waiting }, играют: { $playing }
