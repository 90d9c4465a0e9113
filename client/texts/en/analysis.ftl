# Describes an evaluation for the side to move: `wins in 3`, counted in its own moves.
wins-in = wins in { $moves }
loses-in = loses in { $moves }
draws = draws
draw-in-parentheses = draw

# Evaluations whose number is a bound.
wins-in-at-most = wins in at most { $moves }
loses-in-at-most = loses in at most { $moves }
analysis-running = Analysing ...

# The same on the full screen: how many of the moves are done.
analysis-progress = Analysing: { $done } of { $all }

# Names the best cells, grouped by value.
best-moves = Best: { $cells }.

# Precedes the cells that were not evaluated.
not-evaluated = not evaluated

# Names the move that lost the game, and a better move.
no-losing-move = No losing move found.

# States what a mistake cost, and which move was better.
mistake-lost-draw = Move { $number } ({ $seat }, { $cell }) gave { $opponent } a forced win. Better: { $best }.
mistake-lost-win = Move { $number } ({ $seat }, { $cell }) turned a forced win into a loss. Better: { $best }.
mistake-missed-win = Move { $number } ({ $seat }, { $cell }) gave away a forced win. Better: { $best }.

# Counts the mistakes of a side.
mistake-count = Mistake { $number } of { $all } by { $seat }

# Names a cell in a sentence by its digit, or by its column.
place-column = column { $name }
place-cell = cell { $name }

# The same in a few columns.
mistake-short = { $seat } { $cell }: mistake, better { $best }
mistake-short-unproven = { $seat } { $cell }: mistake, perhaps { $best }

# Judges a move that was not a mistake.
move-best = Move { $number } ({ $seat }, { $cell }): the best move.
move-good = Move { $number } ({ $seat }, { $cell }): a good move.
move-weaker = Move { $number } ({ $seat }, { $cell }): perhaps { $best } was better.
move-less-sure = Move { $number } ({ $seat }, { $cell }): { $best } was a sure win.

losing-move = Move { $number }, { $seat } { $cell }, lost the game. { $best } still held.
losing-move-unproven = After move { $number }, { $seat } { $cell }, { $opponent } wins by force. Perhaps { $best } holds.

# Lines of a review; $moved is "2. O b1".
better-than = { $moved }? { $best } was better.
forced-after = { $moved }? Then { $opponent } wins by force.
surer-than = { $moved } ({ $best } was a sure win)
perhaps-better-than = { $moved } (perhaps better: { $best })

# Describes a resumable game: opponent, rules, and the server unless it is the default one.
saved-opponent = vs { $name }
saved-own-room = your room { $room }
saved-local-game = { $rules }, { $against }
saved-game-on = { $rules }, { $against }, on { $host }
unfinished-game = Unfinished game: { $game }. Resume it with noughts continue.
nothing-to-continue = This game can no longer be resumed.
no-game-to-continue = There is no game to resume. For a new one: noughts play
game-is-gone = This game is over, or its server has ended it: { $game }. For a new one: noughts play
saved-game-locked = This game is open in another window.
cannot-resume = Cannot resume the game: { $error }.
cannot-save = If this program is killed, you cannot resume this game: { $why }
corrupt-files = { $count ->
        [one] A resumable game was damaged and has been deleted.
       *[other] { $count } resumable games were damaged and have been deleted.
    }
