// The page's WebSocket. It sends and receives messages; the model interprets
// them.

const SUBPROTOCOL = "noughts";
const NORMAL_CLOSURE = 1000;
/** Timeout for opening a connection. A browser would wait for minutes. */
const CONNECT_TIMEOUT_MS = 5_000;
/**
 * Part of the server's rate limit that the page uses. It is below 1, because the network may
 * deliver messages closer together than the page has sent them.
 */
const LIMIT_PART = 0.75;
/** Limits until the server announces its own limits. */
const LIMITS_DEFAULT = Object.freeze({ burst: 20, per_second: 10 });
/** Close code of a connection that was lost. */
const LOST_CODE = 1006;

/**
 * @typedef {{ onOpened: () => void, onClosed: (code: number) => void, onMessage: (message: any) => void }} Handlers
 */

export class Connection {
  /**
   * @param {string} url
   * @param {() => number} now
   * @param {Handlers} handlers
   */
  constructor(url, now, handlers) {
    this.url = url;
    this.now = now;
    /** Time of the last message, or of the attempt to connect. */
    this.heardAt = 0;
    this.burst = 0;
    this.spacingMillis = 0;
    this.limit(LIMITS_DEFAULT);
    this.handlers = handlers;
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {string[]} */
    this.queue = [];
    this.sentAt = /** @type {number[]} */ ([]);
    /** @type {number} */
    this.timer = 0;
  }

  /** Connects. Closes any open connection. */
  connect() {
    this.disconnect();
    const socket = new WebSocket(this.url, SUBPROTOCOL);
    this.socket = socket;
    this.heardAt = this.now();
    setTimeout(
      () =>
        this.socket === socket &&
        socket.readyState === WebSocket.CONNECTING &&
        this.drop(),
      CONNECT_TIMEOUT_MS,
    );
    socket.addEventListener("open", () => this.handlers.onOpened());
    socket.addEventListener("message", (event) => {
      if (this.socket !== socket) return;
      this.heardAt = this.now();
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

  /** Closes the connection without calling `onClosed`. */
  disconnect() {
    const { socket } = this;
    this.socket = null;
    this.queue = [];
    socket?.close(NORMAL_CLOSURE);
  }

  /** Drops a dead connection. */
  drop() {
    this.disconnect();
    this.handlers.onClosed(LOST_CODE);
  }

  /**
   * Sets the server's rate limit.
   * @param {{ burst?: number, per_second?: number }} limits
   */
  limit({
    burst = LIMITS_DEFAULT.burst,
    per_second: perSecond = LIMITS_DEFAULT.per_second,
  }) {
    this.burst = Math.max(1, Math.floor(burst * LIMIT_PART));
    this.spacingMillis = 1000 / perSecond / LIMIT_PART;
  }

  /**
   * Sends a request within the server's rate limit.
   * @param {any} request
   */
  send(request) {
    this.queue.push(JSON.stringify(request));
    this.flush();
  }

  flush() {
    const now = performance.now();
    this.sentAt = this.sentAt.filter(
      (at) => now - at < this.burst * this.spacingMillis,
    );
    while (
      this.queue.length > 0 &&
      this.sentAt.length < this.burst &&
      this.socket?.readyState === WebSocket.OPEN
    ) {
      this.socket.send(/** @type {string} */ (this.queue.shift()));
      this.sentAt.push(now);
    }
    if (this.queue.length > 0 && this.timer === 0 && this.socket) {
      this.timer = setTimeout(() => {
        this.timer = 0;
        this.flush();
      }, this.spacingMillis);
    }
  }
}

/**
 * Returns the message, or null if the text is not an object.
 * @param {unknown} text
 * @returns {any}
 */
function parse(text) {
  try {
    const message = JSON.parse(String(text));
    return typeof message === "object" ? message : null;
  } catch {
    return null;
  }
}
