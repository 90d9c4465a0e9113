menu-own-games = Мои партии
no-own-games = Нет подходящих законченных партий. Каждая законченная партия сохраняется.
column-date = Дата
column-opponent = Соперник
column-result = Итог
column-moves = Ходы
own-game-result =
    .won = победа
    .lost = поражение
    .draw = ничья
    .x_won = победа X
    .o_won = победа O
own-games-help = Номер: разбор партии, затем link или save FILE: ссылка или файл; profile и номер: соперник; d и номер: удаление; q: выход.
own-games-number = Мои партии: { $count }.
damaged-own-games = { $files ->
        [one] В папке { $folder } { $files } файл не является партией. Он остаётся там.
        [few] В папке { $folder } { $files } файла не являются партиями. Они остаются там.
       *[many] В папке { $folder } { $files } файлов не являются партиями. Они остаются там.
    }
game-not-kept = Эта партия не сохранена среди ваших: { $error }.
own-games-failed = Не удалось прочитать или изменить ваши партии: { $error }.
cannot-list-own-games = не удалось прочитать ваши партии
kept-game = { $result } Запись: { $path }
only-on-server = Только на сервере
profile-of = Профиль: { $name }
profile-total = Партий { $count }: побед { $won }, ничьих { $drawn }, поражений { $lost }.
profile-game = { $game }: побед { $won }, ничьих { $drawn }, поражений { $lost }
profile-against = Ваш счёт с этим игроком: побед { $won }, ничьих { $drawn }, поражений { $lost }.
profile-since = С { $date }; учитывается не более 1000 партий.
profile-latest = Последние партии
profile-asked = Запрос к { $server }
profile-not-answered = { $server } сейчас не может прислать эти данные. Попробуйте позже.
