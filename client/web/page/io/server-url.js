// The address of the server that sent the page.

/** Returns the address of the server's WebSocket. */
export const serverUrl = () =>
  `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/ws`;
