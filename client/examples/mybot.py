# A bot: wins if it can, blocks if it must, else plays a random cell. Its search for lines fits
# boards of two dimensions without flags other than gravity.
#   noughts arena easy --rules connect4 -- python3 mybot.py
import json, random, sys

def wins(stones, cell):
    x, y = ord(cell[0]), int(cell[1:])
    def run(dx, dy, n=1):
        while f"{chr(x + n * dx)}{y + n * dy}" in stones: n += 1
        return n - 1
    return any(run(dx, dy) + run(-dx, -dy) + 1 >= line for dx, dy in [(1, 0), (0, 1), (1, 1), (1, -1)])

for text in sys.stdin:
    game = json.loads(text)
    line, legal = int(game["rules"].split(":")[1].split("+")[0]), game["legal"]
    mine, theirs = game["moves"][-2::-2], game["moves"][-1::-2]
    best = [c for c in legal if wins(mine, c)] or [c for c in legal if wins(theirs, c)] or legal
    print(random.choice(best), flush=True)
