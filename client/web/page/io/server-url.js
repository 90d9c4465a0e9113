// Address of the server that sent the page.

/** Returns the address of its WebSocket. */
export const serverUrl = () =>
  `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/ws`;
