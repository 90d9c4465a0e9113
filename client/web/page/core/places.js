// Places of the rows in a list that the server changes. Pure.

/**
 * Time that the place of a removed row stays free, so that a press that was
 * meant for that row does not hit another row.
 */
export const PLACE_FREE_MS = 1500;

/**
 * Time that a gap stays if neither the pointer nor the focus is in the list.
 * Then the rows below the gap move up.
 */
export const MAX_GAP_MS = 30_000;

/**
 * A row, and the time of its removal if it was removed.
 * @typedef {{ id: string, goneAt: number | null }} Place
 */

/**
 * Returns the places of the rows. A row keeps its place, so that no button
 * moves under a pointer. Removed rows leave a gap. New rows fill a gap or are
 * added at the end. Gaps at the end vanish, and so do old gaps in a list that
 * is not in use.
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
