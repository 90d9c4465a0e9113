puzzle-player = Задача
puzzle-menu = Задача дня
puzzle-task = { $game }, { $seat } выигрывает за { $moves }
puzzle-done = решена, дней подряд: { $streak }

puzzle-headline = { $seat } ВЫИГРЫВАЕТ ЗА { $moves }
puzzle-started = Задача на { $date }: ход { $seat }, выигрыш за { $moves }.
puzzle-mistake = Этот ход не выигрывает за { $moves }. Попробуйте ещё раз.
puzzle-solved = Решено. Неверных ходов: { $mistakes }. Дней подряд: { $streak }.
puzzle-given-up = Решение: { $moves }.

puzzle-share = Задача Noughts { $date }: { $game }, выигрыш за { $moves }. { $result }
