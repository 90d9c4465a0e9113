// QR codes for links: byte mode, error correction level M, versions 1 to 6
// (ISO/IEC 18004). Pure.

/**
 * For each version: error correction codewords per block, number of blocks,
 * data codewords per block.
 */
const VERSIONS = Object.freeze([
  [10, 1, 16],
  [16, 1, 28],
  [26, 1, 44],
  [18, 2, 32],
  [24, 2, 43],
  [16, 4, 27],
]);
const MODE_BITS = 4;
const COUNT_BITS = 8;
const FORMAT_GENERATOR = 0x537;
const FORMAT_MASK = 0x5412;
const FIELD_POLYNOMIAL = 0x11d;
/** @type {readonly ((x: number, y: number) => boolean)[]} */
const MASKS = Object.freeze([
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]);

/**
 * Returns the product of two elements of the field with 256 elements.
 * @param {number} a
 * @param {number} b
 */
function multiply(a, b) {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >> 7) * FIELD_POLYNOMIAL);
    if ((b >> bit) & 1) product ^= a;
  }
  return product;
}

/**
 * Returns the error correction codewords.
 * @param {readonly number[]} data
 * @param {number} count
 * @returns {number[]}
 */
function correctionOf(data, count) {
  let generator = [1];
  for (
    let index = 0, root = 1;
    index < count;
    index += 1, root = multiply(root, 2)
  ) {
    const shifted = [...generator, 0];
    generator = shifted.map(
      (value, at) =>
        value ^
        (at > 0
          ? multiply(/** @type {number} */ (generator[at - 1]), root)
          : 0),
    );
  }
  const remainder = new Array(count).fill(0);
  for (const value of data) {
    const factor = value ^ remainder.shift();
    remainder.push(0);
    for (let at = 0; at < count; at += 1)
      remainder[at] ^= multiply(
        /** @type {number} */ (generator[at + 1]),
        factor,
      );
  }
  return remainder;
}

/**
 * Returns all codewords in their order.
 * @param {Uint8Array} bytes
 * @param {readonly number[]} version
 * @returns {number[]}
 */
function codewordsOf(bytes, [correction = 0, blocks = 0, perBlock = 0]) {
  const bits = `0100${bytes.length.toString(2).padStart(COUNT_BITS, "0")}${[...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("")}`;
  const length = blocks * perBlock;
  const ended = bits + "0".repeat(Math.min(4, length * 8 - bits.length));
  const data = (ended.match(/.{1,8}/g) ?? []).map((byte) =>
    parseInt(byte.padEnd(8, "0"), 2),
  );
  for (let pad = 0xec; data.length < length; pad ^= 0xec ^ 0x11) data.push(pad);
  const parts = Array.from({ length: blocks }, (_, block) =>
    data.slice(block * perBlock, (block + 1) * perBlock),
  );
  const checks = parts.map((part) => correctionOf(part, correction));
  const interleave = (/** @type {number[][]} */ rows) =>
    (rows[0] ?? []).flatMap((_, at) =>
      rows.map((row) => /** @type {number} */ (row[at])),
    );
  return [...interleave(parts), ...interleave(checks)];
}

/**
 * The square of modules of a code. The modules of its patterns are fixed, so data and masks skip
 * them.
 */
class Square {
  /** @param {number} version */
  constructor(version) {
    this.size = 17 + 4 * version;
    this.dark = Array.from({ length: this.size }, () =>
      new Array(this.size).fill(false),
    );
    this.fixed = Array.from({ length: this.size }, () =>
      new Array(this.size).fill(false),
    );
    for (let at = 0; at < this.size; at += 1)
      for (const [x, y] of [
        [6, at],
        [at, 6],
      ])
        this.fix(
          /** @type {number} */ (x),
          /** @type {number} */ (y),
          at % 2 === 0,
        );
    for (const [x, y] of [
      [3, 3],
      [this.size - 4, 3],
      [3, this.size - 4],
    ])
      this.drawRings(
        /** @type {number} */ (x),
        /** @type {number} */ (y),
        4,
        [0, 1, 3],
      );
    if (version > 1) this.drawRings(this.size - 7, this.size - 7, 2, [0, 2]);
    this.drawFormat(0);
  }

  /** @param {number} x @param {number} y @param {boolean} isDark */
  fix(x, y, isDark) {
    if (x < 0 || y < 0 || x >= this.size || y >= this.size) return;
    /** @type {boolean[]} */ (this.dark[y])[x] = isDark;
    /** @type {boolean[]} */ (this.fixed[y])[x] = true;
  }

  /**
   * Draws square rings around a module. `rings` are the distances of the dark
   * modules.
   * @param {number} x
   * @param {number} y
   * @param {number} radius
   * @param {readonly number[]} rings
   */
  drawRings(x, y, radius, rings) {
    for (let dy = -radius; dy <= radius; dy += 1) {
      for (let dx = -radius; dx <= radius; dx += 1)
        this.fix(
          x + dx,
          y + dy,
          rings.includes(Math.max(Math.abs(dx), Math.abs(dy))),
        );
    }
  }

  /** @param {number} mask */
  drawFormat(mask) {
    let rest = mask;
    for (let bit = 0; bit < 10; bit += 1)
      rest = (rest << 1) ^ ((rest >> 9) * FORMAT_GENERATOR);
    const bits = ((mask << 10) | rest) ^ FORMAT_MASK;
    const { size } = this;
    for (let index = 0; index < 15; index += 1) {
      const isDark = ((bits >> index) & 1) === 1;
      if (index < 8) this.fix(8, index < 6 ? index : index + 1, isDark);
      else this.fix(index === 8 ? 7 : 14 - index, 8, isDark);
      if (index < 8) this.fix(size - 1 - index, 8, isDark);
      else this.fix(8, size - 15 + index, isDark);
    }
    this.fix(8, size - 8, true);
  }

  /** @param {readonly number[]} codewords @param {number} mask */
  drawData(codewords, mask) {
    const isMasked = /** @type {(x: number, y: number) => boolean} */ (
      MASKS[mask]
    );
    let index = 0;
    for (let right = this.size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5;
      for (let step = 0; step < this.size; step += 1) {
        const y = ((right + 1) & 2) === 0 ? this.size - 1 - step : step;
        for (const x of [right, right - 1]) {
          if (this.fixed[y]?.[x]) continue;
          const bit = ((codewords[index >> 3] ?? 0) >> (7 - (index & 7))) & 1;
          /** @type {boolean[]} */ (this.dark[y])[x] =
            (bit === 1) !== isMasked(x, y);
          index += 1;
        }
      }
    }
  }

  /** Returns a measure of how hard the square is to read. */
  penalty() {
    const rows = this.dark.map((row) => row.map(Number).join(""));
    const columns = rows.map((_, x) => rows.map((row) => row[x]).join(""));
    let penalty = 0;
    for (const line of [...rows, ...columns]) {
      for (const [run = ""] of line.matchAll(/0{5,}|1{5,}/g))
        penalty += run.length - 2;
      penalty += 40 * [...line.matchAll(/(?=10111010000|00001011101)/g)].length;
    }
    for (let y = 1; y < this.size; y += 1) {
      for (let x = 1; x < this.size; x += 1) {
        const corner = rows[y]?.[x];
        if (
          corner === rows[y - 1]?.[x] &&
          corner === rows[y]?.[x - 1] &&
          corner === rows[y - 1]?.[x - 1]
        )
          penalty += 3;
      }
    }
    const share = rows.join("").replaceAll("0", "").length / this.size ** 2;
    return penalty + 10 * Math.floor(Math.abs(share - 0.5) * 20);
  }
}

/**
 * Returns the modules of a QR code, row by row; true is dark. Returns null if
 * the text is longer than 106 bytes.
 * @param {string} text
 * @returns {boolean[][] | null}
 */
export function qrCode(text) {
  const bytes = new TextEncoder().encode(text);
  const index = VERSIONS.findIndex(
    ([, blocks = 0, perBlock = 0]) =>
      blocks * perBlock * 8 >= MODE_BITS + COUNT_BITS + bytes.length * 8,
  );
  if (index < 0) return null;
  const codewords = codewordsOf(
    bytes,
    /** @type {readonly number[]} */ (VERSIONS[index]),
  );
  const squares = MASKS.map((_, mask) => {
    const square = new Square(index + 1);
    square.drawFormat(mask);
    square.drawData(codewords, mask);
    return square;
  });
  const penalties = squares.map((square) => square.penalty());
  return squares[penalties.indexOf(Math.min(...penalties))]?.dark ?? null;
}
