// Short tones and vibrations for the events of a game. They are loaded when the
// setting is on.
import { pendingMove } from "../core/model.js";

/**
 * @typedef {"start" | "own" | "opponent" | "low" | "win" | "loss" | "end"} Cue
 * @typedef {object} Heard the state at the last cue
 * @property {string} room
 * @property {number} game
 * @property {string} phase
 * @property {number} ply number of moves, including a move that is not
 *   confirmed
 */

/**
 * Notes of each cue: frequency in Hz, and the start of the note in seconds.
 * @type {Readonly<Record<Cue, readonly (readonly [number, number])[]>>}
 */
const NOTES = {
  start: [
    [523, 0],
    [784, 0.09],
  ],
  own: [[440, 0]],
  opponent: [[330, 0]],
  low: [
    [880, 0],
    [880, 0.15],
  ],
  win: [
    [523, 0],
    [659, 0.1],
    [784, 0.2],
    [1047, 0.3],
  ],
  loss: [
    [392, 0],
    [330, 0.14],
    [262, 0.28],
  ],
  end: [
    [440, 0],
    [440, 0.14],
  ],
};
/**
 * Vibrations of a phone, in milliseconds.
 * @type {Readonly<Partial<Record<Cue, number | number[]>>>}
 */
const VIBRATIONS = {
  start: 40,
  own: 12,
  opponent: 30,
  low: [60, 60, 60],
  win: [40, 50, 40, 50, 90],
  loss: 120,
};
const NOTE_SECONDS = 0.16;
const VOLUME = 0.12;

/**
 * Returns the cue for the events since the last cue, or null.
 * @param {Heard | null} before
 * @param {import("../core/model.js").Model} model
 * @returns {{ cue: Cue | null, heard: Heard | null }}
 */
export function cueOf(before, model) {
  const { room } = model;
  const state = room?.state;
  if (!room || !state) return { cue: null, heard: null };
  const { game, phase, moves, outcome } = state;
  const isPending = pendingMove(model) !== null;
  const ply = moves.length + Number(isPending);
  const heard = { room: room.id, game, phase, ply };
  const known = before?.room === room.id ? before : null;
  const result = (/** @type {Cue | null} */ cue) => ({ cue, heard });
  if (phase === "playing" && ply === 0 && known?.game !== game)
    return result("start");
  if (!known || known.game !== game) return result(null);
  if (phase === "over" && known.phase === "playing") {
    const winner = room.seat && outcome?.winner;
    return result(!winner ? "end" : winner === room.seat ? "win" : "loss");
  }
  if (phase !== "playing" || ply <= known.ply) return result(null);
  const mover = ply % 2 === 1 ? "X" : "O";
  return result(mover === room.seat ? "own" : "opponent");
}

export class Sounds {
  constructor() {
    this.context = new AudioContext();
    /** @type {Heard | null} */
    this.heard = null;
    // A browser lets a page make sounds only after the visitor has pressed
    // something.
    for (const name of ["click", "keydown"])
      document.addEventListener(name, () => void this.context.resume());
  }

  /** @param {import("../core/model.js").Model} model */
  follow(model) {
    const { cue, heard } = cueOf(this.heard, model);
    this.heard = heard;
    if (cue) this.play(cue);
  }

  /** @param {Cue} cue */
  play(cue) {
    const { context } = this;
    const vibration = VIBRATIONS[cue];
    if (vibration) navigator.vibrate?.(vibration);
    if (context.state !== "running") return;
    for (const [frequency, delay] of NOTES[cue]) {
      const at = context.currentTime + delay;
      const tone = new OscillatorNode(context, { type: "triangle", frequency });
      const volume = new GainNode(context, { gain: 0 });
      volume.gain.setValueAtTime(VOLUME, at);
      volume.gain.exponentialRampToValueAtTime(0.001, at + NOTE_SECONDS);
      tone.connect(volume).connect(context.destination);
      tone.start(at);
      tone.stop(at + NOTE_SECONDS);
    }
  }
}
