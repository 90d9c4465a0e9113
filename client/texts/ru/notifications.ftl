connecting-to = Подключение к { $server }.
connected-as = Подключено под именем { $name }.
reconnecting = Связь потеряна: { $why }. Повторное подключение через { $wait }.
reconnected = Связь восстановлена.
room-unavailable = Этой комнаты на сервере больше нет.
server-restarting = Сервер перезапускается и вернётся через { $wait }.
operator-announcement = Сообщение оператора: { $text }
seeking = Ожидание соперника: { $game }.
nobody-came = Пока никого нет. Введите "бот", чтобы сыграть пока с ботом.
waiting-in-room = Ожидание в вашей комнате: { $game }.
watch-with = Смотреть: { $command }
starting-bot = Запуск бота ({ $level }) ...
empty-seat = пусто ({ $seat })
role-player = Вы за { $seat }
role-spectator = Вы зритель
joined = { $role }: { $x } против { $o }, { $game }.{ $next }
rooms-and-seeks = Комнат: { $rooms }. Ищут соперника: { $seeks }.
seated = { $name } присоединяется и играет за { $seat }.
you-moved = { moved }
moved = { $name }: ход { $cell }.{ $next }
taken-back = { $plies ->
        [1] Ход взят назад.{ $next }
        [one] Взято назад { $plies } ход.{ $next }
        [few] Взято назад { $plies } хода.{ $next }
       *[many] Взято назад { $plies } ходов.{ $next }
    }
game-over = { $outcome } Счёт: { $score }.
line-mode-hint = Введите клетку, чтобы пойти; b - показать доску, help - все команды.
play-again = Сыграть ещё? да или нет (y, n).
claimable = { $name }: время на возвращение вышло. В ход соперника введите claim win (победа) или claim draw (ничья).
said = { $who }: { $phrase }
opponent-found = { $name } ждёт вас. С переходом туда эта партия закончится без результата: q.
copied = Скопировано, если терминал это позволяет.
copied-without-server = Скопировано, если терминал это разрешает. В ссылке нет адреса: поставьте перед ней адрес страницы сервера или откройте её командой noughts analyse.
game-link = Ссылка на эту партию: { $link }
link-without-game = В ссылке нет партии: { $error }.
phrases-hidden = Фразы скрыты.
phrases-shown = Фразы показываются.
evaluates = { $who }, оценка: { $evaluation }.
both-seats-taken = Оба места заняты. Смотреть: noughts watch КОД, с кодом комнаты.
no-such-room = Такой комнаты нет. Проверьте код.
opponent-has-left = Соперник ушёл.
rejected = Отказ: { $why }.
input-ended = Конец ввода: выход из партии.
substitute-called = Ожидание бота сервера ...
bot-failed = Боту не удалось подключиться.
record-players = { $x } (X) против { $o } (O).
goodbye = До свидания.
settings-saved-to = Настройки сохранены в { $path }.
file-saved-to = Партия сохранена в { $path }.
cannot-write-file = Не удалось записать { $path }: { $error }.
cannot-read-file = Не удалось прочитать { $path }: { $error }.
left-and-resigned = Вы вышли из партии и сдались.
left-without-result = Вы вышли из партии. Она без результата.
