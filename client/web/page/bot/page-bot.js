// Controls the bot's worker from the page. The worker plays in a room, finds single moves for a
// game without a server, or judges the moves of a game.

/**
 * @typedef {object} BotHandlers
 * @property {(seat: { room: string, token: string }) => void} onSeat the bot has a seat
 * @property {() => void} onFailed the bot did not start, or stopped with an error
 */

export class BotWorker {
  /**
   * @param {string} script URL of the worker
   * @param {string} url address of the server
   * @param {BotHandlers} handlers
   */
  constructor(script, url, handlers) {
    this.script = script;
    this.url = url;
    this.handlers = handlers;
    /** @type {Worker | null} */
    this.worker = null;
    this.room = "";
  }

  /**
   * Makes the bot join a room or resume its seat. Does nothing if it already
   * plays there.
   * @param {string} room
   * @param {string | null} code of a private room
   * @param {import("../core/model.js").PageBot} bot
   */
  start(room, code, bot) {
    if (this.worker && this.room === room) return;
    this.stop();
    this.room = room;
    const worker = new Worker(this.script, { type: "module" });
    this.worker = worker;
    const fail = () => {
      if (this.worker !== worker) return;
      this.worker = null;
      worker.terminate();
      this.handlers.onFailed();
    };
    worker.addEventListener("error", fail);
    worker.addEventListener("message", ({ data }) => {
      if (data.type === "seat" && this.worker === worker)
        this.handlers.onSeat(data.seat);
      else if (data.type === "failed") fail();
      else if (data.type === "ended" && this.worker === worker)
        this.worker = null;
    });
    worker.postMessage({
      type: "start",
      url: this.url,
      bot,
      code: code ?? room,
    });
  }

  /** Makes the bot leave its room. */
  stop() {
    this.worker?.postMessage({ type: "leave" });
    this.worker = null;
  }
}

/** Finds the moves of the bot in a game without a server. */
export class LocalBot {
  /**
   * @param {string} script URL of the worker
   * @param {{ onMove: (found: { cell: number, acceptsDraw: boolean, seq: number }) => void, onFailed: () => void }} handlers
   */
  constructor(script, handlers) {
    this.script = script;
    this.handlers = handlers;
    /** @type {Worker | null} */
    this.worker = null;
  }

  /**
   * Searches for a move. `onMove` gets it with the number of the game's last event.
   * @param {{ rules: string, moves: number[], level: string, millis: number, seq: number }} game
   */
  think = (game) => {
    this.worker ??= this.open();
    this.worker.postMessage({ type: "think", game });
  };

  open() {
    const worker = new Worker(this.script, { type: "module" });
    const fail = () => {
      if (this.worker !== worker) return;
      this.stop();
      this.handlers.onFailed();
    };
    worker.addEventListener("error", fail);
    worker.addEventListener("message", ({ data }) => {
      if (this.worker !== worker) return;
      if (data.type === "move") this.handlers.onMove(data);
      else if (data.type === "failed") fail();
    });
    return worker;
  }

  /** Ends the worker, also during a search. */
  stop() {
    this.worker?.terminate();
    this.worker = null;
  }
}

/**
 * Judges the moves of a game in a separate worker.
 * @param {string} script URL of the worker
 * @param {import("./game-review.js").ReviewedGame} game
 * @param {AbortSignal} signal ends the worker
 * @param {(left: number) => void} onProgress receives the number of moves
 *   left
 * @returns {Promise<import("./game-review.js").MoveVerdict[]>} rejects if the
 *   worker does not start or is ended
 */
export function reviewGame(script, game, signal, onProgress) {
  const worker = new Worker(script, { type: "module" });
  /** @type {Promise<import("./game-review.js").MoveVerdict[]>} */
  const verdicts = new Promise((resolve, reject) => {
    signal.addEventListener("abort", reject);
    worker.addEventListener("error", reject);
    worker.addEventListener("message", ({ data }) => {
      if (data.type === "verdicts") resolve(data.verdicts);
      else if (data.type === "failed") reject(new Error(data.detail));
      else onProgress(data.left);
    });
    worker.postMessage({ type: "review", game });
  });
  return verdicts.finally(() => worker.terminate());
}
