// Finds out which games the other tabs of this browser play.

const CHANNEL = "noughts";

/**
 * Exchanges the rooms of the tabs. A tab that opens asks the other tabs. In a browser without
 * channels, a tab knows of no other tabs.
 */
export class Tabs {
  /**
   * @param {(rooms: string[]) => void} onChange receives the rooms of the
   *   other tabs
   */
  constructor(onChange) {
    this.tab = Math.random();
    /** @type {string | null} */
    this.room = null;
    /** @type {Map<number, string>} */
    const rooms = new Map();
    this.channel =
      typeof BroadcastChannel === "function"
        ? new BroadcastChannel(CHANNEL)
        : null;
    this.channel?.addEventListener(
      "message",
      ({ data: { tab, room, isQuestion } }) => {
        if (room) rooms.set(tab, room);
        else rooms.delete(tab);
        onChange([...rooms.values()]);
        if (isQuestion) this.post(false);
      },
    );
    this.post(true);
  }

  /** @param {boolean} isQuestion whether the other tabs should answer */
  post(isQuestion) {
    this.channel?.postMessage({ tab: this.tab, room: this.room, isQuestion });
  }

  /** @param {string | null} room the room where this tab plays */
  play(room) {
    if (room === this.room) return;
    this.room = room;
    this.post(false);
  }
}
