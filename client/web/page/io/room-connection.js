// A connection with a model of its own: for the bot, and for each game that the page watches beside others.
import { OUTDATED_CODE } from "../core/session.js";
import { update } from "../core/update.js";
import { Connection } from "./connection.js";

/**
 * @typedef {import("../core/model.js").Model} Model
 * @typedef {import("../core/step.js").Effect} Effect
 */

/** Local time in milliseconds. */
export const localMillis = () => performance.now() + performance.timeOrigin;

export class RoomConnection {
  /**
   * @param {string} url
   * @param {Model} model
   * @param {(model: Model, effects: Effect[]) => void} onChange follows each change of the model
   */
  constructor(url, model, onChange) {
    this.model = model;
    this.onChange = onChange;
    /** @type {Set<number>} */
    this.timers = new Set();
    this.isClosed = false;
    this.connection = new Connection(url, {
      onOpened: () => this.dispatch({ type: "opened" }),
      onClosed: (code) => this.dispatch({ type: "closed", code, now: localMillis(), random: Math.random() }),
      onMessage: (message) => this.receive(message),
    });
  }

  connect() {
    this.connection.connect();
  }

  /** Closes the connection. No call of `onChange` follows. */
  close() {
    this.isClosed = true;
    for (const timer of this.timers) clearTimeout(timer);
    this.connection.disconnect();
  }

  /**
   * Reads a message. A message that the page cannot read ends the connection.
   * @param {any} message
   */
  receive(message) {
    const before = this.model;
    try {
      this.dispatch({ type: "received", message, now: localMillis() });
    } catch {
      this.model = before;
      this.connection.disconnect();
      this.dispatch({ type: "closed", code: OUTDATED_CODE, now: localMillis(), random: 0 });
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
    if (isChanged || effects.length > 0) this.onChange(model, effects);
  }

  /** @param {Effect} effect */
  run(effect) {
    switch (effect.type) {
      case "send": this.connection.send(effect.request); break;
      case "connect":
      case "reconnect": this.connection.connect(); break;
      case "connect-later": this.later(effect.at - localMillis(), () => this.model.connection.state === "offline" && this.connect()); break;
      case "resend-later": this.later(effect.after, () => this.dispatch({ type: "resend", id: effect.id, now: localMillis() })); break;
      default: break;
    }
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
