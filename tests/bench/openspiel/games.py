"""Games by chance, by OpenSpiel's own rollouts in C++: its tree search, held to one visit, plays them all from the
empty board. Reads lines of a number of games and a game, and answers each with the processor time in seconds."""
import sys
import time

import pyspiel

for line in sys.stdin:
    games, name = line.split()
    game = pyspiel.load_game(name)
    rollouts = pyspiel.RandomRolloutEvaluator(n_rollouts=int(games), seed=7)
    search = pyspiel.MCTSBot(game, rollouts, 1.0, 1, 10, False, 7, False)
    state = game.new_initial_state()
    began = time.process_time()
    search.step(state)
    print(time.process_time() - began, flush=True)
