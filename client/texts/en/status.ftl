turn-headline = YOUR MOVE

# States how much time is left for a first move, which costs none.
move-within = move within { $left }

# Headline for two people at one terminal.
headline-to-move = { $name } ({ $seat }) TO MOVE
to-move-headline = { $name } to move
cursor-at = cursor { $cell }
column-at = column { $column }
live-headline = LIVE
move-number = move { $number }
earlier-position = MOVE { $at } OF { $all }

# Headline before the first move.
start-position = START

# Says which keys lead forward and back to the game.
key-forward = { $forward } forward
key-latest = { $last } latest

# Headline of a result for the reader: a player or a spectator.
headline-aborted = GAME ABORTED
headline-draw = DRAW
headline-you-win = YOU WIN
headline-you-lost = YOU LOST
headline-wins = { $name } WINS

# States how a game ended, without the winner.
line-loses = a line loses: { $name } { $cells }
reason-full = the board is full
reason-agreed = by agreement
reason-aborted = no result
reason-flag = time ran out
reason-abandoned = a player did not return
reason-you-resigned = you resigned
reason-resigned = { $name } resigned

# States that a player did not come back in time.
not-returned = { $name } did not return

# Result of one player beside the name.
result-draw = draw
result-won = won
result-lost = lost
headline-offer-draw = { $name } OFFERS A DRAW
headline-offer-takeback = { $name } ASKS TO TAKE BACK
headline-offer-rematch = { $name } OFFERS A REMATCH

# Says which keys answer an offer.
key-accept = { $accept } accept
key-decline = { $decline } decline

# Headline for an opponent who was found during a local game.
opponent-is-here = { $name } IS HERE

# Says which key leads to that opponent.
meet-key = { $key } starts

# Says which key withdraws the player's own offer.
withdraw-key = { $key } withdraw

# Headline for an absent player, with the time left to return.
headline-disconnected-until = { $name } is DISCONNECTED: { $left } to return
headline-disconnected = { $name } is DISCONNECTED
headline-left-until = { $name } HAS LEFT: { $left } to return
headline-left = { $name } HAS LEFT

# Says which keys claim the game of an absent player.
key-claim-win = { $win } claim the win
key-claim-draw = { $draw } claim a draw
connection-closed-headline = CONNECTION CLOSED
headline-connection-lost = CONNECTION LOST: trying again in { $left } (try { $attempt })

# Heading of the list of moves.
moves-heading = Moves

# Label of the list of moves while an earlier position is shown.
moves-at = move { $at } of { $all }

# The same before the first move.
moves-start = start

# Numbers a game and names its time control.
game-number = Game { $number }, { $clock }

# Title of an analysis.
title-analysis = Analysis: { $rules }

# Titles of a game: against an opponent, and of two players.
title-against = { $rules } against { $name }
title-between = { $rules }: { $x } - { $o }

# Headline of a position that the player tries, this many moves away from the record.
own-line = YOUR LINE, { $moves } { $moves ->
        [one] move
       *[other] moves
    } from the game

# Meanings of the letters `W`, `=` and `L`.
value-wins = wins
value-draws = draws
value-loses = loses

# Meaning of the digits `1` to `9` beside those letters.
value-ranks = best first
values-for = Moves of { $seat }:

# Meanings of the signs of a review.
legend-mistake = mistake
legend-better = better
room-label = room { $room }

# State of a slow connection on the card of a player.
slow-connection = slow: { $ms } ms

# Names a layer of a board on the board.
layer-name = Layer { $number }
