// Links to rooms for other people.

/**
 * Returns the origin of links for others. A page that was opened by the name of
 * its own machine uses the address of the server for other machines.
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
