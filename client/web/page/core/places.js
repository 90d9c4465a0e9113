// The places of the rows of a list that the server changes. Pure.

/**
 * How long the place of a removed row stays free, so that a press that was
 * meant for that row does not hit another row.
 */
export const PLACE_FREE_MS = 1500;

/**
 * How long a gap stays if no pointer and no focus is in the list. Then the rows
 * below the gap move up.
 */
export const MAX_GAP_MS = 30_000;

/** @typedef {{ id: string, goneAt: number | null }} Place a row, and when it went, if it is gone */

/**
 * Returns the places of the rows. A row keeps its place, so that no button
 * moves under a pointer: removed rows leave a gap, and new rows fill a gap or
 * stand at the end. Gaps vanish at the end, and when they are old in a list
 * that is not in use.
 * @param {readonly Place[]} before
 * @param {readonly string[]} ids of the rows, in the order of new rows
 * @param {number} now
 * @param {boolean} isInUse whether a pointer or the focus is in the list
 * @param {number} [max] maximum number of places
 * @returns {Place[]}
 */
export function keepPlaces(before, ids, now, isInUse, max = Infinity) {
  const isFree = (/** @type {Place | undefined} */ place) =>
    place !== undefined &&
    place.goneAt !== null &&
    now - place.goneAt >= PLACE_FREE_MS;
  const isOld = (/** @type {Place} */ { goneAt }) =>
    goneAt !== null && now - goneAt >= MAX_GAP_MS;
  const marked = before.map(({ id, goneAt }) => ({
    id,
    goneAt: ids.includes(id) ? null : (goneAt ?? now),
  }));
  const places = isInUse ? marked : marked.filter((place) => !isOld(place));
  for (const id of ids) {
    if (places.some((place) => place.id === id)) continue;
    const free = places.findIndex(isFree);
    if (free >= 0) places[free] = { id, goneAt: null };
    else if (places.length < max) places.push({ id, goneAt: null });
  }
  while (isFree(places.at(-1))) places.pop();
  return places;
}
