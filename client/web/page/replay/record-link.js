// A finished game as a link: `/#r/` and the text of its record, deflated (RFC
// 1951) and encoded as base64url without padding. The link contains the whole
// game, so no server has to keep it. Browsers do not send the part after `#`.
import { MAX_RECORD_BYTES } from "./record.js";

export const RECORD_LINK = "#r/";
/** Maximum length of the part after `#r/`. */
export const MAX_PAYLOAD_CHARACTERS = 4096;
const FORMAT = "deflate-raw";
/** The browser's streams. Older browsers lack them. */
const streams = /** @type {any} */ (globalThis);

/** Error for an invalid link. `reason` is the key of its text. */
export class LinkError extends Error {
  /** @param {"link_bad" | "link_unsupported"} reason */
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * Sends bytes through a stream, and returns its output. Stops with an error
 * after more than `limit` bytes.
 * @param {Uint8Array} bytes
 * @param {ReadableWritablePair<Uint8Array, Uint8Array>} stream
 * @param {number} limit
 */
async function passThrough(bytes, stream, limit) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  /** @type {Uint8Array[]} */
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > limit) {
      await reader.cancel();
      throw new RangeError(`more than ${limit} bytes`);
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/**
 * Returns the part after `#r/`. Returns null if the browser cannot deflate, and
 * "" if the game is too long for a link.
 * @param {string} record
 */
export async function packRecord(record) {
  let stream;
  try {
    stream = new streams.CompressionStream(FORMAT);
  } catch {
    return null;
  }
  try {
    const bytes = await passThrough(
      new TextEncoder().encode(record),
      stream,
      MAX_PAYLOAD_CHARACTERS,
    );
    const payload = btoa(String.fromCharCode(...bytes))
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replace(/=+$/, "");
    return payload.length <= MAX_PAYLOAD_CHARACTERS ? payload : "";
  } catch {
    return "";
  }
}

/**
 * Returns the text of the record in a link. Throws a LinkError.
 * @param {string} payload
 */
export async function unpackRecord(payload) {
  if (
    payload.length > MAX_PAYLOAD_CHARACTERS ||
    !/^[A-Za-z0-9_-]+$/.test(payload)
  )
    throw new LinkError("link_bad");
  let stream;
  try {
    stream = new streams.DecompressionStream(FORMAT);
  } catch {
    throw new LinkError("link_unsupported");
  }
  try {
    const deflated = Uint8Array.from(
      atob(payload.replaceAll("-", "+").replaceAll("_", "/")),
      (letter) => letter.charCodeAt(0),
    );
    const bytes = await passThrough(deflated, stream, MAX_RECORD_BYTES);
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new LinkError("link_bad");
  }
}
