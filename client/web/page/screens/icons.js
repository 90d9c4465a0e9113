// Icons for the screens that are loaded on demand.

/** Paths of the icons, on a 24 × 24 grid. */
export const MORE_ICONS = Object.freeze({
  draw: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM8 10h8M8 14h8",
  undo: "M8 5L4 9l4 4M4 9h10a6 6 0 0 1 0 12h-3",
  flag: "M6 21V4h11l-2 4 2 4H6",
  say: "M4 5h16v11H10l-5 4v-4H4z",
  mute: "M4 5h16v11H10l-5 4v-4H4zM9 8l6 5M15 8l-6 5",
  image: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.500 9h.01",
  close: "M6 6l12 12M18 6L6 18",
  leave: "M5 12h14M13 6l6 6-6 6",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  share: "M12 15V3M8 7l4-4 4 4M5 13v7h14v-7",
  replay: "M4 6v5h5M4 11a8 8 0 1 1-1 4M11 10v5l4-2.500z",
  trash: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13M10 11v5M14 11v5",
  redo: "M20 6v5h-5M20 11a8 8 0 1 0 1 4",
  person: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21a8 8 0 0 1 16 0",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  first: "M7 5v14M18 5l-7 7 7 7",
  previous: "M15 5l-7 7 7 7",
  next: "M9 5l7 7-7 7",
  last: "M17 5v14M6 5l7 7-7 7",
  puzzle:
    "M4 8h4.500a2 2 0 1 1 3.500 0H16v4.500a2 2 0 1 1 0 3.500V20h-4.500a2 2 0 1 0-3.500 0H4z",
  offline:
    "M3 3l18 18M5 12a10 10 0 0 1 4-2M19 12a10 10 0 0 0-6-3M9 16a5 5 0 0 1 6 0M12 20h.01",
});
