// The worker of the bot, as a review sees it: it judges the moves of one game, and ends.

/**
 * @param {string} script URL of the worker
 * @param {import("./game-review.js").ReviewedGame} game
 * @param {(left: number) => void} onProgress receives the number of moves that are left
 * @returns {Promise<import("./game-review.js").MoveVerdict[]>} fails if the worker does not start
 */
export function reviewGame(script, game, onProgress) {
  const worker = new Worker(script, { type: "module" });
  const verdicts = new Promise((resolve, reject) => {
    worker.addEventListener("error", reject);
    worker.addEventListener("message", ({ data }) => {
      if (data.type === "verdicts") resolve(data.verdicts);
      else if (data.type === "failed") reject(new Error(data.detail));
      else onProgress(data.left);
    });
    worker.postMessage({ type: "review", game });
  });
  return verdicts.finally(() => worker.terminate());
}
