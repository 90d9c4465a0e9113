// Players without a page: sockets that a test opens in a browser, many at the same time.

const SCRIPT = `
  window.startGame = async (names, rules) => {
    const seats = names.map((name) => {
      const socket = new WebSocket(location.origin.replace('http', 'ws') + '/ws');
      const seat = { socket, room: null, token: null, seq: 0, mark: null, waiting: [], id: 1 };
      seat.send = (request) => socket.send(JSON.stringify({ id: seat.id++, ...request }));
      seat.until = (isDone) => new Promise((resolve) => { seat.waiting.push([isDone, resolve]); seat.check(); });
      seat.check = () => { seat.waiting = seat.waiting.filter(([isDone, resolve]) => !isDone() || void resolve()); };
      socket.addEventListener('message', ({ data }) => {
        const message = JSON.parse(data);
        if (message.type === 'welcome') seat.isKnown = true;
        if (message.type === 'snapshot') Object.assign(seat, { room: message.room, seq: message.state.seq, mark: message.role.seat });
        if (message.type === 'events') for (const { seq, event } of message.events) {
          seat.seq = seq;
          if (event.type === 'started') seat.isStarted = true;
        }
        seat.check();
      });
      socket.addEventListener('open', () => seat.send({ type: 'hello', versions: [1, 1], name, kind: 'person', client: 'test' }));
      return seat;
    });
    const [first, second] = seats;
    await Promise.all(seats.map((seat) => seat.until(() => seat.isKnown)));
    first.send({ type: 'create', rules, seat: 'X', public: true });
    await first.until(() => first.room);
    second.send({ type: 'join', room: first.room });
    await first.until(() => first.isStarted);
    await second.until(() => second.room);
    window.games ??= {};
    window.games[names[0]] = seats;
    return first.room;
  };
  window.playMove = async (name, ply, cell) => {
    const seat = window.games[name][ply % 2];
    const { seq } = seat;
    seat.send({ type: 'move', cell, seq });
    await seat.until(() => seat.seq > seq);
    await Promise.all(window.games[name].map((other) => other.until(() => other.seq >= seat.seq)));
  };
  window.resign = (name) => window.games[name][0].send({ type: 'resign' });`;

/** Players with sockets in a page. The page must not leave its document meanwhile. */
export class RawPlayers {
  constructor(page) {
    this.page = page;
  }

  /** Starts a public game of two players, named by the first of them. */
  async start(names, rules) {
    if (!(await this.page.run("return 'startGame' in window")))
      await this.page.run(SCRIPT);
    return this.page.run(
      "return window.startGame(arguments[0], arguments[1])",
      names,
      rules,
    );
  }

  /** Plays a move of a game, and waits until both players know it. */
  play(name, ply, cell) {
    return this.page.run(
      "return window.playMove(arguments[0], arguments[1], arguments[2])",
      name,
      ply,
      cell,
    );
  }

  resign(name) {
    return this.page.run("window.resign(arguments[0])", name);
  }
}
