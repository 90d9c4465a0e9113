// The installation of the page. Browsers offer it in secure contexts only: over
// TLS, or on this computer.
import { scriptUrl } from "../scripts.js";

/** Starts the service worker, which keeps the files of the page. The page works without it. */
export async function startServiceWorker() {
  if (!("serviceWorker" in navigator)) return;
  await navigator.serviceWorker
    .register(scriptUrl("serviceWorker"))
    .catch(() => {});
}
