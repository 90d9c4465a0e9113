// The model of the page with a scripted server.
import assert from "node:assert/strict";
import { initialModel } from "../../../client/web/page/core/model.js";
import { update } from "../../../client/web/page/core/update.js";

export const snapshot = (changes = {}) => ({
  type: "snapshot",
  room: "xgwmmd3n",
  role: { seat: "X", token: "t".repeat(26) },
  state: {
    seq: 4,
    at: 1,
    rules: "3x3:3",
    public: false,
    phase: "playing",
    players: [
      { name: "Ann", kind: "person" },
      { name: "Bob", kind: "person" },
    ],
    game: 1,
    score: { wins: [0, 0], draws: 0 },
    moves: [],
    turn: "X",
    offers: [null, null, null],
  },
  ...changes,
});
export const welcome = (re, changes = {}) => ({
  type: "welcome",
  re,
  version: 1,
  server: "s",
  name: "Ann",
  limits: {},
  ...changes,
});

export class Script {
  constructor(stored = {}) {
    this.model = initialModel({
      now: 1000,
      party: "0".repeat(26),
      name: "Ann",
      settings: {},
      saved: [],
      seat: null,
      linkCode: null,
      ...stored,
    });
    this.sent = [];
    this.effects = [];
  }

  step(message) {
    const before = JSON.stringify(this.model);
    const [next, effects] = update(this.model, { now: 5000, ...message });
    assert.equal(
      JSON.stringify(this.model),
      before,
      "update changes its argument",
    );
    this.model = next;
    this.effects.push(...effects);
    for (const effect of effects)
      if (effect.type === "send") this.sent.push(effect.request);
    return this;
  }

  act(action) {
    return this.step({ type: "action", action });
  }
  receive(message) {
    return this.step({ type: "received", message });
  }
  last() {
    return this.sent.at(-1);
  }
  /** Answers the last request of a type. */
  answer(type, message) {
    return this.receive({
      ...message,
      re: this.sent.findLast((request) => request.type === type).id,
    });
  }
  done(type) {
    return this.answer(type, { type: "done" });
  }
  reject(type, code, changes = {}) {
    return this.answer(type, { type: "reject", code, ...changes });
  }
  /** Returns the types of the requests since the last call. */
  news() {
    const types = this.sent.slice(this.read ?? 0).map(({ type }) => type);
    this.read = this.sent.length;
    return types;
  }

  online(changes = {}) {
    this.step({ type: "opened" });
    return this.receive(welcome(this.last().id, changes));
  }

  lose() {
    return this.step({ type: "closed", code: 1006, random: 0.5 });
  }

  play() {
    this.online().act({
      type: "enter",
      request: { type: "seek", rules: "3x3:3" },
    });
    return this.done("seek").receive(snapshot());
  }
}
