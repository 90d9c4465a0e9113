// The installation of the page. Browsers offer it only in secure contexts: over
// TLS, or on this computer.
import { scriptUrl } from "../scripts.js";

/**
 * Starts the service worker, which stores the page's files. The page also works
 * without it.
 */
export async function startServiceWorker() {
  if (!("serviceWorker" in navigator)) return;
  await navigator.serviceWorker
    .register(scriptUrl("serviceWorker"))
    .catch(() => {});
}
