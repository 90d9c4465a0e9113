wins-in =
    выигрыш в { $moves } { $moves ->
            [one] ход
            [few] хода
           *[many] ходов
        }
loses-in =
    проигрыш в { $moves } { $moves ->
            [one] ход
            [few] хода
           *[many] ходов
        }
draws = ничья
draw-in-parentheses = { draws }
wins-in-at-most =
    выигрыш не более чем за { $moves } { $moves ->
            [one] ход
            [few] хода
           *[many] ходов
        }
loses-in-at-most =
    проигрыш не более чем за { $moves } { $moves ->
            [one] ход
            [few] хода
           *[many] ходов
        }
analysis-running = Анализ ...
analysis-progress = Анализ: { $done } из { $all }
best-moves = Лучшие ходы: { $cells }.
not-evaluated = не оценены
cell-value = { $cell }, { $score }
no-losing-move = Проигрывающий ход не найден.
mistake-lost-draw = Ход { $number } ({ $seat }, { $cell }) отдал { $opponent } верную победу. Лучше: { $best }.
mistake-lost-win = Ход { $number } ({ $seat }, { $cell }) превратил верную победу в поражение. Лучше: { $best }.
mistake-missed-win = Ход { $number } ({ $seat }, { $cell }) упустил верную победу. Лучше: { $best }.
mistake-count = Ошибка { $number } из { $all }: { $seat }
place-column = столбец { $name }
place-cell = клетка { $name }
mistake-short = { $seat } { $cell }? Лучше { $best }
move-best = Ход { $number } ({ $seat }, { $cell }): лучший ход.
move-good = Ход { $number } ({ $seat }, { $cell }): хороший ход.
move-weaker = Ход { $number } ({ $seat }, { $cell }): лучше { $best }.
losing-move = Проигрывающий ход: { $number }. { $cell } ({ $seat }), { $result }. Лучше { $best }: { $best_result }.
best-was-won = { $score }
best-was-drawn = { $score }
best-was-lost = { $score }
best-was-estimated = { $score }
better-than = { $evaluation }; лучше { $best }
saved-opponent = с { $name }
saved-own-room = ваша комната
saved-local-game = { $against }, { $rules }
saved-game-on = { $against }, { $rules }, на { $host }
unfinished-game = Неоконченная партия: { $game }. Продолжить: noughts continue.
nothing-to-continue = Эту партию больше нельзя продолжить.
no-game-to-continue = Нет партии, которую можно продолжить. Новая партия: noughts play
game-is-gone = Эта партия окончена, или её завершил сервер: { $game }. Новая партия: noughts play
saved-game-locked = Эта партия открыта в другом окне.
cannot-resume = Не удалось продолжить партию: { $error }.
cannot-save = Если программу прервут, партию нельзя будет продолжить: { $why }
corrupt-files = { $count ->
        [1] Прерванная партия была повреждена и удалена.
        [one] Удалено повреждённых прерванных партий: { $count }.
        [few] Удалено повреждённых прерванных партий: { $count }.
       *[many] Удалено повреждённых прерванных партий: { $count }.
    }
