// A bot: wins if it can, blocks if it must, else plays in the middle. Its search for lines fits
// boards of two dimensions without flags other than gravity.
//   noughts arena easy --rules connect4 -- node mybot.mjs
import { createInterface } from "node:readline";

const next = (cell, [dx, dy]) =>
  String.fromCharCode(cell.charCodeAt(0) + dx) + (Number(cell.slice(1)) + dy);

function run(stones, cell, step) {
  const beside = next(cell, step);
  return stones.includes(beside) ? 1 + run(stones, beside, step) : 0;
}

for await (const text of createInterface({ input: process.stdin })) {
  const { rules, moves, legal } = JSON.parse(text);
  const wins = (stones) => (cell) =>
    [[1, 0], [0, 1], [1, 1], [1, -1]].some(([x, y]) =>
      run(stones, cell, [x, y]) + run(stones, cell, [-x, -y]) + 1 >= parseInt(rules.split(":")[1]));
  const theirs = moves.filter((_, ply) => ply % 2 !== moves.length % 2);
  const mine = moves.filter((_, ply) => ply % 2 === moves.length % 2);
  console.log(legal.find(wins(mine)) ?? legal.find(wins(theirs)) ?? legal[legal.length >> 1]);
}
