// The identity of the visitor: a master secret, its text for other devices, and the secret for a
// server. Pure. The terminal client derives the same secrets. The page has its own SHA-256, because
// browsers offer theirs only in secure contexts, and a page from the local network is not a secure
// context.

const BASE_32 = "0123456789abcdefghjkmnpqrstvwxyz";
const SECRET_DIGITS = 26;
const CHECK_DIGITS = 2;
const SECRET_BYTES = 16;
const BLOCK_BYTES = 64;
/**
 * A prime below the number of values of two digits. The check detects each wrong digit and each
 * pair of exchanged digits.
 */
const CHECK_MODULUS = 1021n;

/** @param {bigint} value @param {number} count */
function digitsOf(value, count) {
  let digits = "";
  for (let rest = value; digits.length < count; rest >>= 5n)
    digits = BASE_32[Number(rest & 31n)] + digits;
  return digits;
}

/** @param {string} digits @returns {bigint | null} null with a character that is not a digit */
function readDigits(digits) {
  let value = 0n;
  for (const digit of digits) {
    const index = BASE_32.indexOf(digit);
    if (index < 0) return null;
    value = (value << 5n) | BigInt(index);
  }
  return value;
}

/** @param {ArrayLike<number>} bytes */
const numberOf = (bytes) =>
  Array.from(bytes).reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);

/** @param {bigint} value @returns {number[]} */
const bytesOf = (value) =>
  Array.from({ length: SECRET_BYTES }, (_, index) =>
    Number((value >> BigInt(8 * (SECRET_BYTES - 1 - index))) & 255n),
  );

/** @param {ArrayLike<number>} bytes the master secret @returns {string} its text, with two check digits */
export function textOf(bytes) {
  const value = numberOf(bytes);
  const digits =
    digitsOf(value, SECRET_DIGITS) +
    digitsOf(value % CHECK_MODULUS, CHECK_DIGITS);
  return /** @type {RegExpMatchArray} */ (digits.match(/.{4}/g)).join("-");
}

/** @param {string} text @returns {number[] | null} its master secret; null for any other text, also if it is mistyped */
export function readText(text) {
  const digits = text
    .replace(/[\s-]/g, "")
    .toLowerCase()
    .replace(/[il]/g, "1")
    .replaceAll("o", "0");
  const value = readDigits(digits.slice(0, SECRET_DIGITS));
  const check = readDigits(digits.slice(SECRET_DIGITS));
  const isSecret =
    digits.length === SECRET_DIGITS + CHECK_DIGITS &&
    value !== null &&
    value >> BigInt(8 * SECRET_BYTES) === 0n &&
    value % CHECK_MODULUS === check;
  return isSecret ? bytesOf(value) : null;
}

/**
 * Derives the secret for a server, so that no server knows the secret for another server.
 * @param {ArrayLike<number>} master
 * @param {string} origin such as `ws://127.0.0.1:7878`
 */
export function secretFor(master, origin) {
  const key = [...Array.from(master), ...Array(BLOCK_BYTES).fill(0)].slice(
    0,
    BLOCK_BYTES,
  );
  const padded = (/** @type {number} */ pad) => key.map((byte) => byte ^ pad);
  const inner = sha256([...padded(0x36), ...new TextEncoder().encode(origin)]);
  const tag = sha256([...padded(0x5c), ...inner]);
  return digitsOf(numberOf(tag.slice(0, SECRET_BYTES)), SECRET_DIGITS);
}

/** @param {number} count */
function primes(count) {
  /** @type {number[]} */
  const found = [];
  for (let next = 2; found.length < count; next += 1)
    if (found.every((prime) => next % prime !== 0)) found.push(next);
  return found;
}

/** @param {number} root the first 32 bits of its fraction */
const fraction = (root) => ((root % 1) * 2 ** 32) | 0;

const ROUND_CONSTANTS = primes(64).map((prime) => fraction(Math.cbrt(prime)));
const INITIAL_STATE = primes(8).map((prime) => fraction(Math.sqrt(prime)));

/** @param {number} word @param {number} count */
const rotate = (word, count) => (word >>> count) | (word << (32 - count));

/** @param {readonly number[]} message @returns {number[]} the digest (FIPS 180-4) */
export function sha256(message) {
  const length = message.length;
  const padding = (2 * BLOCK_BYTES - 9 - (length % BLOCK_BYTES)) % BLOCK_BYTES;
  const view = new DataView(
    new Uint8Array([
      ...message,
      0x80,
      ...Array(padding).fill(0),
      ...Array(8).fill(0),
    ]).buffer,
  );
  view.setUint32(view.byteLength - 4, 8 * length);
  let state = INITIAL_STATE;
  for (let block = 0; block < view.byteLength; block += BLOCK_BYTES) {
    const words = Array.from({ length: 16 }, (_, index) =>
      view.getInt32(block + 4 * index),
    );
    const word = (/** @type {number} */ index) =>
      /** @type {number} */ (words[index]);
    for (let index = 16; index < 64; index += 1) {
      const [older, newer] = [word(index - 15), word(index - 2)];
      const s0 = rotate(older, 7) ^ rotate(older, 18) ^ (older >>> 3);
      const s1 = rotate(newer, 17) ^ rotate(newer, 19) ^ (newer >>> 10);
      words.push((word(index - 16) + s0 + word(index - 7) + s1) | 0);
    }
    let [a, b, c, d, e, f, g, h] =
      /** @type {[number, number, number, number, number, number, number, number]} */ (
        /** @type {unknown} */ (state)
      );
    ROUND_CONSTANTS.forEach((constant, index) => {
      const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const choice = (e & f) ^ (~e & g);
      const majority = (a & b) ^ (a & c) ^ (b & c);
      const first = (h + s1 + choice + constant + word(index)) | 0;
      [h, g, f, e, d, c, b, a] = [
        g,
        f,
        e,
        (d + first) | 0,
        c,
        b,
        a,
        (first + s0 + majority) | 0,
      ];
    });
    const next = [a, b, c, d, e, f, g, h];
    state = state.map((value, index) => (value + Number(next[index])) | 0);
  }
  return state.flatMap((value) =>
    [24, 16, 8, 0].map((shift) => (value >>> shift) & 255),
  );
}
