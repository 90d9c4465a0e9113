// A connection with its model: for the visitor, for the bot, and for each game
// that the page watches in addition.
import { OUTDATED_CODE } from "../core/wire-table.js";
import { update } from "../core/update.js";
import { Connection } from "./connection.js";

/**
 * @typedef {import("../core/model.js").Model} Model
 * @typedef {import("../core/step.js").Effect} Effect
 */

const CHECK_MS = 1000;

/** Local time in milliseconds. */
export const localMillis = () => performance.now() + performance.timeOrigin;

export class ModelConnection {
  /**
   * @param {string} url
   * @param {Model} model
   * @param {(model: Model, effects: Effect[]) => void} onChange called after
   *   each change of the model, with the effects that do not belong to the
   *   connection
   */
  constructor(url, model, onChange) {
    this.model = model;
    this.onChange = onChange;
    /** @type {Set<number>} */
    this.timers = new Set();
    this.isClosed = false;
    this.connection = new Connection(url, localMillis, {
      onOpened: () => this.dispatch({ type: "opened", now: localMillis() }),
      onClosed: (code) =>
        this.dispatch({
          type: "closed",
          code,
          now: localMillis(),
          random: Math.random(),
        }),
      onMessage: (message) => this.receive(message),
    });
  }

  connect() {
    if (this.timers.size === 0) this.checkLater();
    this.connection.connect();
  }

  /** Closes the connection. `onChange` is not called any more. */
  close() {
    this.isClosed = true;
    for (const timer of this.timers) clearTimeout(timer);
    this.connection.disconnect();
  }

  /**
   * Handles a message. A message that the page cannot read ends the connection,
   * because the server has another version.
   * @param {any} message
   */
  receive(message) {
    const before = this.model;
    try {
      this.dispatch({ type: "received", message, now: localMillis() });
    } catch {
      this.model = before;
      this.connection.disconnect();
      this.dispatch({
        type: "closed",
        code: OUTDATED_CODE,
        now: localMillis(),
        random: 0,
      });
    }
  }

  /** @param {any} action */
  act(action) {
    this.dispatch({ type: "action", action, now: localMillis() });
  }

  /** @param {any} message */
  dispatch(message) {
    if (this.isClosed) return;
    const [model, effects] = update(this.model, message);
    const isChanged = model !== this.model;
    this.model = model;
    for (const effect of effects) this.run(effect);
    // An effect may have changed the model again.
    if (isChanged || effects.length > 0) this.onChange(this.model, effects);
  }

  /** @param {Effect} effect */
  run(effect) {
    switch (effect.type) {
      case "send":
        this.connection.send(effect.request);
        break;
      case "connect":
        this.connection.connect();
        break;
      case "connect-later":
        this.connectLater(effect.at);
        break;
      case "drop":
        this.connection.drop();
        break;
      case "limit":
        this.connection.limit(effect.limits);
        break;
      case "resend-later":
        this.later(effect.after, () =>
          this.dispatch({ type: "resend", id: effect.id, now: localMillis() }),
        );
        break;
      default:
        break;
    }
  }

  /** @param {number} at */
  connectLater(at) {
    this.later(at - localMillis(), () => {
      const { state, retryAt } = this.model.connection;
      if (state !== "offline") return;
      // In a frozen tab, a timer may fire late. After a change of the clock, it may fire too early.
      if (retryAt - localMillis() > 1) this.connectLater(retryAt);
      else this.connection.connect();
    });
  }

  checkLater() {
    const dueAt = localMillis() + CHECK_MS;
    this.later(CHECK_MS, () => {
      // In a tab that was frozen, the timers fire before the messages that have
      // arrived meanwhile.
      if (localMillis() - dueAt < CHECK_MS) this.check(false);
      this.checkLater();
    });
  }

  /** @param {boolean} isForced whether the network may have changed */
  check(isForced) {
    this.dispatch({
      type: "check",
      now: localMillis(),
      heardAt: this.connection.heardAt,
      isForced,
    });
  }

  /** @param {number} millis @param {() => void} run */
  later(millis, run) {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      run();
    }, millis);
    this.timers.add(timer);
  }
}
