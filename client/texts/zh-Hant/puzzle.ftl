puzzle-player = 謎題
puzzle-menu = 每日一題
puzzle-task = { $game }，{ $seat } 在 { $moves } 步內獲勝
puzzle-done = 已解出，連續 { $streak } 天
puzzle-failed = 未解出，明天有新題

puzzle-headline = 輪到你：{ $moves } 步內獲勝
puzzle-started = { $date } 的謎題，{ $game }：輪到 { $seat }，{ $moves } 步內獲勝。
puzzle-mistake = 這步無法在 { $moves } 步內獲勝。請再試。
puzzle-solved = 第 { $tries } 次解出。
puzzle-streak = 連續 { $streak } 天。
puzzle-given-up = 答案：{ $moves }。

puzzle-share = Noughts 每日一題 { $date }：{ $game }，{ $moves } 步獲勝。{ $result }
