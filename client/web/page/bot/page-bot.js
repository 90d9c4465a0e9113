// The worker of the bot, as the page sees it.

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
   * Lets the bot join a room, or resume its seat. Does nothing if it plays there already.
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

  /** Lets the bot leave its room. */
  stop() {
    this.worker?.postMessage({ type: "leave" });
    this.worker = null;
  }
}
