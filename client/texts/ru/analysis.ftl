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
no-losing-move = Проигрывающий ход не найден.
mistake-lost-draw = Ход { $number } ({ $seat }, { $cell }) отдал { $opponent } верную победу. Лучше: { $best }.
mistake-lost-win = Ход { $number } ({ $seat }, { $cell }) превратил верную победу в поражение. Лучше: { $best }.
mistake-missed-win = Ход { $number } ({ $seat }, { $cell }) упустил верную победу. Лучше: { $best }.
mistake-count = Ошибка { $number } из { $all }: { $seat }
place-column = столбец { $name }
place-cell = клетка { $name }
mistake-short = { $seat } { $cell }: ошибка, лучше { $best }
mistake-short-unproven = { $seat } { $cell }: ошибка, может быть { $best }
move-best = Ход { $number } ({ $seat }, { $cell }): лучший ход.
move-good = Ход { $number } ({ $seat }, { $cell }): хороший ход.
move-weaker = Ход { $number } ({ $seat }, { $cell }): возможно, лучше { $best }.
move-less-sure = Ход { $number } ({ $seat }, { $cell }): верная победа: { $best }.
losing-move = Ход { $number }, { $seat } { $cell }, проиграл партию. Ещё держал { $best }.
losing-move-unproven = После хода { $number }, { $seat } { $cell }, { $opponent } побеждает форсированно. Возможно, держит { $best }.
better-than = { $moved }? Лучше { $best }.
forced-after = { $moved }? Теперь { $opponent } побеждает форсированно.
surer-than = { $moved } (верная победа: { $best })
perhaps-better-than = { $moved } (возможно, лучше { $best })
saved-opponent = с { $name }
saved-own-room = ваша комната { $room }
saved-local-game = { $rules }, { $against }
saved-game-on = { $rules }, { $against }, на { $host }
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
