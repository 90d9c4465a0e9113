wins-in = { $moves } 步內勝
loses-in = { $moves } 步內負
draws = 和棋
draw-in-parentheses = { draws }
wins-in-at-most = 最多 { $moves } 步內勝
loses-in-at-most = 最多 { $moves } 步內負
analysis-running = 正在分析 ...
best-moves = 最佳：{ $cells }。
not-evaluated = 未評估
cell-value = { $cell }，{ $score }
no-losing-move = 沒有發現敗著。
mistake-lost-draw = 第 { $number } 回合 { $seat } { $cell } 輸掉了這一局。走 { $best } 還能守住。
mistake-lost-win = 第 { $number } 回合 { $seat } { $cell } 輸掉了這一局。走 { $best } 仍可獲勝。
mistake-missed-win = 第 { $number } 回合 { $seat } { $cell } 放走了勝局。走 { $best } 仍可獲勝。
mistake-short = { $seat } { $cell }？應走 { $best }
losing-move = 敗著：{ $number } { $cell } ({ $seat })，{ $result }。應走 { $best }：{ $best_result }。
best-was-won = { $score }
best-was-drawn = { $score }
best-was-lost = { $score }
best-was-estimated = { $score }
better-than = { $evaluation }；應走 { $best }
saved-opponent = 對手{ SPACE_BEFORE($name) }
saved-own-room = 你的房間
saved-local-game = { $against }，{ $rules }
saved-game-on = { $against }，{ $rules }，伺服器 { $host }
unfinished-game = 有一局未下完：{ $game }。用 noughts continue 繼續。
nothing-to-continue = 這一局已無法繼續。
no-game-to-continue = 沒有可以繼續的對局。開始新對局：noughts play
game-is-gone = 這一局已結束，或已被伺服器終止：{ $game }。開始新對局：noughts play
saved-game-locked = 這一局已在另一個視窗中開啟。
cannot-resume = 無法繼續這一局：{ $error }。
cannot-save = 若本程式被強制終止，這一局將無法繼續：{ $why }
corrupt-files = { $count ->
        [1] 一局可繼續的棋局已損壞並被刪除。
       *[other] { $count } 局可繼續的棋局已損壞並被刪除。
    }
