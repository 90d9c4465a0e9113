wins-in = { $moves } 步内胜
loses-in = { $moves } 步内负
draws = 和棋
draw-in-parentheses = { draws }
wins-in-at-most = 最多 { $moves } 步内胜
loses-in-at-most = 最多 { $moves } 步内负
analysis-running = 正在分析 ...
best-moves = 最佳：{ $cells }。
not-evaluated = 未评估
cell-value = { $cell }，{ $score }
no-losing-move = 没有发现败着。
mistake-lost-draw = 第 { $number } 回合 { $seat } { $cell } 输掉了这一局。走 { $best } 还能守住。
mistake-lost-win = 第 { $number } 回合 { $seat } { $cell } 输掉了这一局。走 { $best } 仍可获胜。
mistake-missed-win = 第 { $number } 回合 { $seat } { $cell } 放走了胜局。走 { $best } 仍可获胜。
mistake-short = { $seat } { $cell }？应走 { $best }
losing-move = 败着：{ $number } { $cell } ({ $seat })，{ $result }。应走 { $best }：{ $best_result }。
best-was-won = { $score }
best-was-drawn = { $score }
best-was-lost = { $score }
best-was-estimated = { $score }
better-than = { $evaluation }；应走 { $best }
saved-opponent = 对手{ SPACE_BEFORE($name) }
saved-own-room = 你的房间
saved-local-game = { $against }，{ $rules }
saved-game-on = { $against }，{ $rules }，服务器 { $host }
unfinished-game = 有一局未下完：{ $game }。用 noughts continue 继续。
nothing-to-continue = 这一局已无法继续。
no-game-to-continue = 没有可以继续的对局。开始新对局：noughts play
game-is-gone = 这一局已结束，或已被服务器终止：{ $game }。开始新对局：noughts play
saved-game-locked = 这一局已在另一个窗口中打开。
cannot-resume = 无法继续这一局：{ $error }。
cannot-save = 若本程序被强行终止，这一局将无法继续：{ $why }
corrupt-files = { $count ->
        [1] 一局可继续的棋局已损坏并被删除。
       *[other] { $count } 局可继续的棋局已损坏并被删除。
    }
