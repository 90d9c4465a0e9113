# The puzzle of the day: the name of the opponent, and the entry of the home menu.
puzzle-player = Puzzle
puzzle-menu = Puzzle of the day
puzzle-task = { $game }, { $seat } wins in { $moves }
puzzle-done = solved, days in a row: { $streak }
puzzle-failed = not solved, a new one tomorrow

# Status and reports of a puzzle.
puzzle-headline = YOUR MOVE: win in { $moves }
puzzle-started = Puzzle of { $date }, { $game }: { $seat } to move wins in { $moves }.
puzzle-mistake = This move does not win in { $moves }. Try again.
puzzle-solved = { $tries ->
        [one] Solved on the first try.
       *[other] Solved with { $tries } tries.
    }
puzzle-streak = { $streak ->
        [one] { $streak } day in a row.
       *[other] { $streak } days in a row.
    }
puzzle-given-up = The solution: { $moves }.

# A line to share.
puzzle-share = Noughts puzzle { $date }: { $game }, win in { $moves }. { $result }
