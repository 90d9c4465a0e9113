"""Plays random legal moves over the protocol of ../README.md: bot.py URL NAME RULES GAMES."""

import asyncio, json, math, random, sys, time
import websockets  # pip install websockets

async def play(url, name, rules, games):
    ids = iter(range(time.time_ns() // 1_000_000, 2**53))  # never the same number twice
    pace, seat, seq, moves, asked, playing = 0.1, None, 0, [], None, False
    async with websockets.connect(url, subprotocols=["noughts"]) as ws:
        async def ask(type, **fields):
            await asyncio.sleep(pace)  # stay below the limit of messages
            await ws.send(json.dumps({"id": next(ids), "type": type, **fields}))

        await ask("hello", versions=[1, 1], name=name, kind="bot")
        async for text in ws:
            message = json.loads(text)
            if message["type"] == "welcome":
                pace = 1 / message["limits"]["per_second"]
                await ask("seek", rules=rules)
            elif message["type"] == "snapshot":  # paired: this is the whole room
                state, seat = message["state"], message["role"]["seat"]
                seq, moves, playing = state["seq"], state["moves"], state["phase"] == "playing"
                cells = math.prod(int(side) for side in state["rules"].split(":")[0].split("x"))
            elif message["type"] == "events":
                for stamped in message["events"]:
                    event, seq = stamped["event"], stamped["seq"]
                    if event["type"] == "started" and event["game"] > 1:  # a rematch swaps the seats
                        seat, moves, asked, playing = "O" if seat == "X" else "X", [], None, True
                    elif event["type"] == "moved":
                        moves.append(event["cell"])
                    elif event["type"] == "offered" and event["seat"] != seat and playing:
                        await ask("decline", offer=event["offer"])
                    elif event["type"] == "ended":
                        print(name, "was", seat, event["outcome"], flush=True)
                        games, playing = games - 1, False
                        await (ask("offer", offer="rematch") if games else ask("leave"))
            elif message["type"] == "reject":
                print(name, message, file=sys.stderr)
                asked = None  # whatever it was, look at the board again
            left = message["type"] == "notice" and message["notice"].get("presence") == "left"
            if left or (message["type"] == "done" and not games) or (message["type"] == "reject" and not seat):
                return
            if playing and seat == "XO"[len(moves) % 2] and asked != len(moves):
                asked = len(moves)
                free = [cell for cell in range(cells) if cell not in moves]
                await ask("move", cell=random.choice(free), seq=seq)

asyncio.run(play(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])))
