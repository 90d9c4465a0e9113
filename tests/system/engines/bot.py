#!/usr/bin/env python3
"""A bot in one page of Python without packages: it plays random moves in any game that it is paired for.

    python3 tests/system/engines/bot.py HOST:PORT RULES [GAMES]

protocol/README.md describes the protocol. A WebSocket library can replace the class `Connection`.
"""

import base64, json, math, os, random, socket, struct, sys, time


class Connection:
    """A WebSocket for text messages (RFC 6455)."""

    def __init__(self, host, port):
        self.socket = socket.create_connection((host, port), timeout=120)
        self.file = self.socket.makefile("rb")
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((
            f"GET /ws HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Protocol: noughts\r\n\r\n"
        ).encode())
        status = self.file.readline().decode().strip()
        if " 101 " not in status:
            raise SystemExit(f"handshake failed: {status}")
        while self.file.readline().strip():
            pass
        # Request ids increase; starting at the time makes them unique across runs.
        self.id = time.time_ns() // 1_000_000

    def frame(self, opcode, payload):
        mask = os.urandom(4)
        size = len(payload)
        assert size < 126, "requests are shorter than 126 bytes"
        body = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
        self.socket.sendall(struct.pack("!BB", 0x80 | opcode, 0x80 | size) + mask + body)

    def request(self, request_type, **fields):
        self.id += 1
        self.frame(1, json.dumps({"id": self.id, "type": request_type, **fields}).encode())
        return self.id

    def messages(self):
        while head := self.file.read(2):
            opcode, size = head[0] & 0x0F, head[1]
            if size == 126:
                size, = struct.unpack("!H", self.file.read(2))
            elif size == 127:
                size, = struct.unpack("!Q", self.file.read(8))
            payload = self.file.read(size)
            if opcode == 1:
                yield json.loads(payload)
            elif opcode == 8:
                return
            elif opcode == 9:
                self.frame(10, payload)

def free_cells(rules, moves):
    """Cells for legal moves. With gravity the top cell names its column."""
    sides, flags = rules.split(":")
    width, height, *rest = [int(side) for side in sides.split("x")] + [1]
    cells = range(math.prod((width, height, *rest)))
    top = [cell for cell in cells if "+gravity" not in flags or cell // width % height == 0]
    return [cell for cell in top if cell not in moves]

def play(connection, rules, games):
    connection.request("hello", versions=[1, 1], name="Bot Py", kind="bot", client="bot.py")
    connection.request("seek", rules=rules)
    for message in connection.messages():
        kind = message["type"]
        if kind == "reject":
            raise SystemExit(f"rejected: {message}")
        if kind == "snapshot":
            seat, seq, moves = message["role"]["seat"], message["state"]["seq"], message["state"]["moves"]
        elif kind == "events":
            for record in message["events"]:
                seq, event = record["seq"], record["event"]
                if event["type"] == "moved":
                    moves.append(event["cell"])
                elif event["type"] == "ended":
                    print(f"{rules}: {seat}, {event['outcome']}", flush=True)
                    games -= 1
                    if games == 0:
                        connection.request("leave")
                        return connection.frame(8, struct.pack("!H", 1000))
                    connection.request("offer", offer="rematch")
                elif event["type"] == "started":
                    seat, moves = "XO"["OX".index(seat)], []
        else:
            continue
        own_turn = "XO"[len(moves) % 2] == seat
        if own_turn and (kind == "snapshot" or event["type"] in ("moved", "started")):
            if free := free_cells(rules, moves):
                connection.request("move", cell=random.choice(free), seq=seq)

if __name__ == "__main__":
    host, port = sys.argv[1].rsplit(":", 1)
    play(Connection(host, int(port)), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 1)
