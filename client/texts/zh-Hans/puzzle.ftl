puzzle-player = 谜题
puzzle-menu = 每日一题
puzzle-task = { $game }，{ $seat } 在 { $moves } 步内获胜
puzzle-done = 已解出，连续 { $streak } 天

puzzle-headline = { $seat } 在 { $moves } 步内获胜
puzzle-started = { $date } 的谜题：轮到 { $seat }，{ $moves } 步内获胜。
puzzle-mistake = 这步无法在 { $moves } 步内获胜。请再试。
puzzle-solved = 已解出。错误着法：{ $mistakes }。连续天数：{ $streak }。
puzzle-given-up = 答案：{ $moves }。

puzzle-share = Noughts 谜题 { $date }：{ $game }，{ $moves } 步获胜。{ $result }
