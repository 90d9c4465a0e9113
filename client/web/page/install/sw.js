// The service worker. Files below a hash come from its cache. The document
// comes from the network if there is a connection. WebSockets do not pass
// through it.

/**
 * The types of a document do not describe a service worker.
 * @type {any}
 */
const worker = self;
const CACHE_NAME = "noughts-page";

/**
 * Stores the document and the files that it names, and deletes the files of
 * other versions.
 * @param {Response} response
 */
async function keepDocument(response) {
  const text = await response.clone().text();
  const paths = [...text.matchAll(/"(\/a\/[^"]+)"/g)].map(([, path]) =>
    String(path),
  );
  const folder = /^\/a\/[^/]+\//.exec(paths[0] ?? "")?.[0];
  if (!folder) return;
  const cache = await caches.open(CACHE_NAME);
  await cache.addAll(paths);
  await cache.put("/", response);
  for (const request of await cache.keys()) {
    const path = new URL(request.url).pathname;
    if (path.startsWith("/a/") && !path.startsWith(folder))
      await cache.delete(request);
  }
}

/**
 * Loads the document.
 * @param {any} event the request for the document
 */
async function loadDocument(event) {
  const response = await fetch(event.request).catch(() => null);
  if (response?.ok) {
    event.waitUntil(keepDocument(response.clone()));
    return response;
  }
  // A server that is restarting or full rejects the request.
  const isTemporary =
    response === null || response.status === 429 || response.status >= 500;
  const kept = isTemporary ? await caches.match("/") : undefined;
  return kept ?? response ?? Response.error();
}

/** @param {Request} request */
async function loadFile(request) {
  const kept = await caches.match(request);
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) {
    const cache = await caches.open(CACHE_NAME);
    await cache.put(request, response.clone());
  }
  return response;
}

worker.addEventListener("install", (/** @type {any} */ event) => {
  worker.skipWaiting();
  event.waitUntil(
    fetch("/").then((response) =>
      response.ok ? keepDocument(response) : undefined,
    ),
  );
});
worker.addEventListener("activate", (/** @type {any} */ event) =>
  event.waitUntil(worker.clients.claim()),
);
worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || origin !== location.origin) return;
  if (mode === "navigate" && pathname === "/")
    event.respondWith(loadDocument(event));
  else if (pathname.startsWith("/a/"))
    event.respondWith(loadFile(event.request));
});
