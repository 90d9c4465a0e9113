puzzle-player = 谜题
puzzle-menu = 每日一题
puzzle-task = { $game }，{ $seat } 在 { $moves } 步内获胜
puzzle-done = 已解出，连续 { $streak } 天
puzzle-failed = 未解出，明天有新题

puzzle-headline = 轮到你：{ $moves } 步内获胜
puzzle-started = { $date } 的谜题，{ $game }：轮到 { $seat }，{ $moves } 步内获胜。
puzzle-mistake = 这步无法在 { $moves } 步内获胜。请再试。
puzzle-solved = 第 { $tries } 次解出。
puzzle-streak = 连续 { $streak } 天。
puzzle-given-up = 答案：{ $moves }。

puzzle-share = Noughts 每日一题 { $date }：{ $game }，{ $moves } 步获胜。{ $result }
