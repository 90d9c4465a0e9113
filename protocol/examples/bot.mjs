// Plays random legal moves over the protocol of ../README.md: node bot.mjs URL NAME RULES GAMES.
import WebSocket from "ws"; // npm install ws; a browser has a WebSocket of its own

const [url, name, rules, count] = process.argv.slice(2);
const socket = new WebSocket(url, "noughts");
let [id, pace, turnToSend, games] = [
  Date.now(),
  100,
  Promise.resolve(),
  Number(count),
];
let [seat, seq, moves, asked, playing, cells] = [null, 0, [], null, false, 0];

function ask(type, fields = {}) {
  // one after the other, below the limit of messages
  const text = JSON.stringify({ id: id++, type, ...fields });
  turnToSend = turnToSend
    .then(() => new Promise((done) => setTimeout(done, pace)))
    .then(() => socket.readyState === WebSocket.OPEN && socket.send(text));
}

function fold({ seq: number, event }) {
  seq = number;
  if (event.type === "started" && event.game > 1) {
    // a rematch swaps the seats
    [seat, moves, asked, playing] = [seat === "X" ? "O" : "X", [], null, true];
  } else if (event.type === "moved") {
    moves.push(event.cell);
  } else if (event.type === "offered" && event.seat !== seat && playing) {
    ask("decline", { offer: event.offer });
  } else if (event.type === "ended") {
    console.log(name, "was", seat, JSON.stringify(event.outcome));
    playing = false;
    if (--games) ask("offer", { offer: "rematch" });
    else ask("leave");
  }
}

socket.onopen = () => ask("hello", { versions: [1, 1], name, kind: "bot" });
socket.onclose = ({ code, reason }) =>
  console.log(name, "closed", code, reason);
socket.onmessage = ({ data }) => {
  const message = JSON.parse(data);
  if (message.type === "welcome") {
    pace = 1000 / message.limits.per_second;
    ask("seek", { rules });
  } else if (message.type === "snapshot") {
    // paired: this is the whole room
    seat = message.role.seat;
    ({ seq, moves } = message.state);
    playing = message.state.phase === "playing";
    cells = message.state.rules
      .split(":")[0]
      .split("x")
      .reduce((all, side) => all * side, 1);
  } else if (message.type === "events") {
    message.events.forEach(fold);
  } else if (message.type === "reject") {
    console.error(name, message);
    asked = null; // whatever it was, look at the board again
  }
  const left = message.type === "notice" && message.notice.presence === "left";
  if (
    left ||
    (message.type === "done" && !games) ||
    (message.type === "reject" && !seat)
  ) {
    socket.close();
  } else if (
    playing &&
    seat === "XO"[moves.length % 2] &&
    asked !== moves.length
  ) {
    asked = moves.length;
    const free = [...Array(cells).keys()].filter(
      (cell) => !moves.includes(cell),
    );
    ask("move", { cell: free[Math.floor(Math.random() * free.length)], seq });
  }
};
