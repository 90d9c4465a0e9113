puzzle-player = Задача
puzzle-menu = Задача дня
puzzle-task = { $game }, { $seat } выигрывает в { $moves } { $moves ->
        [one] ход
        [few] хода
       *[many] ходов
    }
puzzle-done = решена, дней подряд: { $streak }
puzzle-failed = не решена, новая завтра

puzzle-headline = ВАШ ХОД: выигрыш в { $moves } { $moves ->
        [one] ход
        [few] хода
       *[many] ходов
    }
puzzle-started = Задача на { $date }, { $game }: ход { $seat }, победа в { $moves } { $moves ->
        [one] ход
        [few] хода
       *[many] ходов
    }.
puzzle-mistake = Так не выиграть в { $moves } { $moves ->
        [one] ход
        [few] хода
       *[many] ходов
    }. Попробуйте ещё раз.
puzzle-solved = { $tries ->
        [one] Решено с { $tries } попытки.
        [few] Решено с { $tries } попыток.
       *[many] Решено с { $tries } попыток.
    }
puzzle-streak = { $streak ->
        [one] { $streak } день подряд.
        [few] { $streak } дня подряд.
       *[many] { $streak } дней подряд.
    }
puzzle-given-up = Решение: { $moves }.

puzzle-share = Задача Noughts { $date }: { $game }, победа в { $moves } { $moves ->
        [one] ход
        [few] хода
       *[many] ходов
    }. { $result }
