// The page's bot: a worker with the engine and its own connection. To the
// server it is a client like any other. The page starts it with { type:
// "start", url, bot, code } and ends it with { type: "leave" }. Two messages need no connection:
// with { type: "review", game } it judges the moves of a game, and with { type: "think", game } it
// finds the next move.
import { initialModel } from "../core/model.js";
import { ModelConnection, localMillis } from "../io/model-connection.js";
import { decide, moveMillis } from "./decision.js";
import { loadEngine } from "./engine.js";
import { reviewMoves } from "./game-review.js";

/** Minimum time between an event and the move of the bot, so that a person sees both. */
const MOVE_DELAY_MS = 300;

/** @type {ModelConnection | null} */
let client = null;
/** @type {import("./engine.js").Engine | null} */
let engine = null;
let level = "hard";
let isThinking = false;
let isLeaving = false;
let token = "";

self.addEventListener("message", ({ data }) => {
  const started =
    data.type === "start"
      ? startClient(data)
      : data.type === "review"
        ? judgeGame(data.game)
        : data.type === "think"
          ? findMove(data.game)
          : null;
  started?.catch((error) =>
    self.postMessage({ type: "failed", detail: String(error) }),
  );
  if (data.type === "leave") leaveSeat();
});

async function loadOwnEngine() {
  const response = await fetch(new URL("./engine.wasm", import.meta.url));
  if (!response.ok) throw new Error(`engine.wasm: status ${response.status}`);
  return loadEngine(await response.arrayBuffer());
}

/** @param {import("./game-review.js").ReviewedGame} game */
async function judgeGame(game) {
  const onProgress = (/** @type {number} */ left) =>
    self.postMessage({ type: "progress", left });
  const verdicts = reviewMoves(await loadOwnEngine(), game, onProgress);
  self.postMessage({ type: "verdicts", verdicts });
}

/** @param {{ rules: string, moves: number[], level: string, millis: number, seq: number }} game */
async function findMove({ rules, moves, level, millis, seq }) {
  const delay = new Promise((resolve) => setTimeout(resolve, MOVE_DELAY_MS));
  engine ??= await loadOwnEngine();
  await delay;
  engine.setPosition(rules, moves);
  const cell = engine.bestMove({ level, millis, seed: drawSeed() });
  const acceptsDraw = engine.acceptsDraw();
  self.postMessage({ type: "move", cell, acceptsDraw, seq });
}

const drawSeed = () =>
  /** @type {number} */ (crypto.getRandomValues(new Uint32Array(1))[0]);

/** @param {{ url: string, bot: import("../core/model.js").PageBot, code: string | null }} options */
async function startClient({ url, bot, code }) {
  engine = await loadOwnEngine();
  if (isLeaving) return self.close();
  level = bot.level;
  const now = Math.floor(localMillis());
  const model = initialModel({
    now,
    party: bot.party,
    name: bot.name ?? "Bot",
    settings: {},
    saved: [],
    seat: bot.seat,
    linkCode: null,
  });
  client = new ModelConnection(
    url,
    {
      ...model,
      kind: "bot",
      wanted: bot.seat ? null : { type: "join", room: code },
    },
    onModelChanged,
  );
  client.connect();
}

/** @param {import("../core/model.js").Model} model */
function onModelChanged(model) {
  const { room } = model;
  if (room?.token && room.token !== token) {
    token = room.token;
    self.postMessage({ type: "seat", seat: { room: room.id, token } });
  }
  if (isLeaving) {
    if (
      !Object.values(model.pending).some(
        ({ request }) => request.type === "leave",
      )
    )
      endWorker();
    return;
  }
  const decision = decide(model, engine?.acceptsDraw() ?? false);
  if (decision?.type === "end") {
    self.postMessage(
      token === ""
        ? { type: "failed", detail: model.banner?.key ?? "" }
        : { type: "ended" },
    );
    endWorker();
  } else if (decision?.type === "command") {
    client?.act({ type: "command", request: decision.request });
  } else if (decision?.type === "think" && !isThinking) {
    isThinking = true;
    client?.later(MOVE_DELAY_MS, playMove);
  }
}

function playMove() {
  isThinking = false;
  const model = client?.model;
  const state = model?.room?.state;
  // The position may have changed during the search, for instance by a takeback.
  if (!model || !state || isLeaving || decide(model, false)?.type !== "think")
    return;
  engine?.setPosition(state.rules, state.moves);
  const cell =
    engine?.bestMove({
      level,
      millis: moveMillis(model),
      seed: drawSeed(),
    }) ?? -1;
  client?.act({ type: "play", cell });
}

/** Leaves the room. Ends the worker after the response. */
function leaveSeat() {
  isLeaving = true;
  if (client?.model.connection.state === "online")
    client.act({ type: "leave" });
  else if (client) endWorker();
}

function endWorker() {
  client?.close();
  self.close();
}
