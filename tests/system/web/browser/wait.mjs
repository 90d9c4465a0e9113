// Waits for a condition, with a limit that only a hang exceeds.

/** As in `tests/src/wait.rs`: far longer than any step takes on a busy machine. */
const WAIT_MS = 60_000;
/**
 * Limit of waits after a failure. The remaining steps soon fail, so that all suites have time to
 * report.
 */
const MILLIS_AFTER_FAILURE = 2_000;
const POLL_MS = 20;

const sleep = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

/** Returns a limit of waits. A failed wait shortens the limit of the next waits. */
export const newLimit = (millis = WAIT_MS) => ({ millis });

/** Repeats a function until it returns a value that counts as true, and returns it. The text of a failure comes from `describe`. */
export async function waitUntil(find, describe, limit = newLimit()) {
  const { millis } = limit;
  let isOver = false;
  const poll = async () => {
    while (!isOver) {
      const found = await find();
      if (found) return found;
      await sleep(POLL_MS);
    }
  };
  // A page that hangs does not answer, so the call has a limit too.
  let timer;
  const timeout = new Promise((resolve) => {
    timer = setTimeout(resolve, millis);
  });
  const found = await Promise.race([poll(), timeout]).finally(() => {
    isOver = true;
    clearTimeout(timer);
  });
  if (found) return found;
  limit.millis = Math.min(millis, MILLIS_AFTER_FAILURE);
  const text = await Promise.race([describe(), sleep(MILLIS_AFTER_FAILURE)]);
  throw new Error(`waited ${millis / 1000} s for ${text}`);
}
