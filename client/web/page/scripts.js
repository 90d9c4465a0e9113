// URLs of scripts that the page's code starts. The document's policy allows no
// other way to start a worker.

const SCRIPT_URLS = Object.freeze({
  bot: new URL("./bot/worker.js", import.meta.url).href,
  serviceWorker: new URL("/sw.js", import.meta.url).href,
});

/** @param {string} url */
function checkScriptUrl(url) {
  if (!Object.values(SCRIPT_URLS).includes(url))
    throw new TypeError(`${url} is not a script of the page`);
  return url;
}

const scriptPolicy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy(
  "noughts",
  { createScriptURL: checkScriptUrl },
);

/**
 * Returns the URL of a script as a trusted URL.
 * @param {keyof typeof SCRIPT_URLS} name
 * @returns {string}
 */
export const scriptUrl = (name) =>
  scriptPolicy
    ? scriptPolicy.createScriptURL(SCRIPT_URLS[name])
    : SCRIPT_URLS[name];
