// Links to rooms for other people.

/**
 * Returns the origin for links to send to other people. A page that was opened
 * under its own machine's name uses the server's address for other machines.
 * @param {string | null} address of the server for other machines
 * @param {{ hostname: string, origin: string }} [page] address of the page
 */
export function linkOrigin(address, page = location) {
  if (
    address === null ||
    !["localhost", "127.0.0.1", "[::1]"].includes(page.hostname)
  )
    return page.origin;
  try {
    return new URL(address.replace(/^ws/, "http")).origin;
  } catch {
    return page.origin;
  }
}
