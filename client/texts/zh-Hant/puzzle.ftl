puzzle-player = 謎題
puzzle-menu = 每日一題
puzzle-task = { $game }，{ $seat } 在 { $moves } 步內獲勝
puzzle-done = 已解出，連續 { $streak } 天

puzzle-headline = { $seat } 在 { $moves } 步內獲勝
puzzle-started = { $date } 的謎題：輪到 { $seat }，{ $moves } 步內獲勝。
puzzle-mistake = 這步無法在 { $moves } 步內獲勝。請再試。
puzzle-solved = 已解出。錯誤著法：{ $mistakes }。連續天數：{ $streak }。
puzzle-given-up = 答案：{ $moves }。

puzzle-share = Noughts 謎題 { $date }：{ $game }，{ $moves } 步獲勝。{ $result }
