// Controls the bot's worker from the page. The worker plays in a room, or judges the moves of a
// game.

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
