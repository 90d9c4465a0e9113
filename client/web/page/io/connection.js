// The WebSocket of the page. Sends and receives messages; the model interprets them.

const SUBPROTOCOL = "noughts";
const NORMAL_CLOSURE = 1000;
/** Smallest distance of two sends beyond the burst of the server. */
const SEND_SPACING_MILLIS = 120;
const BURST = 15;

/**
 * @typedef {{ onOpened: () => void, onClosed: (code: number) => void, onMessage: (message: any) => void }} Handlers
 */

export class Connection {
  /**
   * @param {string} url
   * @param {Handlers} handlers
   */
  constructor(url, handlers) {
    this.url = url;
    this.handlers = handlers;
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {string[]} */
    this.queue = [];
    this.sentAt = /** @type {number[]} */ ([]);
    /** @type {number} */
    this.timer = 0;
  }

  /** Connects. Closes the connection that is open. */
  connect() {
    this.disconnect();
    const socket = new WebSocket(this.url, SUBPROTOCOL);
    this.socket = socket;
    socket.addEventListener("open", () => this.handlers.onOpened());
    socket.addEventListener("message", (event) => {
      if (this.socket !== socket) return;
      const message = parse(event.data);
      if (message) this.handlers.onMessage(message);
    });
    socket.addEventListener("close", (event) => {
      if (this.socket !== socket) return;
      this.socket = null;
      this.queue = [];
      this.handlers.onClosed(event.code);
    });
  }

  /** Closes the connection without a call of `onClosed`. */
  disconnect() {
    const { socket } = this;
    this.socket = null;
    this.queue = [];
    socket?.close(NORMAL_CLOSURE);
  }

  /**
   * Sends a request, within the rate limit of the server.
   * @param {any} request
   */
  send(request) {
    this.queue.push(JSON.stringify(request));
    this.flush();
  }

  flush() {
    const now = performance.now();
    this.sentAt = this.sentAt.filter((at) => now - at < BURST * SEND_SPACING_MILLIS);
    while (this.queue.length > 0 && this.sentAt.length < BURST && this.socket?.readyState === WebSocket.OPEN) {
      this.socket.send(/** @type {string} */ (this.queue.shift()));
      this.sentAt.push(now);
    }
    if (this.queue.length > 0 && this.timer === 0 && this.socket) {
      this.timer = setTimeout(() => {
        this.timer = 0;
        this.flush();
      }, SEND_SPACING_MILLIS);
    }
  }
}

/** @param {unknown} text @returns {any} the message, or null if it is not an object */
function parse(text) {
  try {
    const message = JSON.parse(String(text));
    return typeof message === "object" ? message : null;
  } catch {
    return null;
  }
}
