// The game on boardgame.io, as in its tutorial. The first line on stdout is the address
// (NODE_ENV=production keeps the library silent).

const { Origins, Server } = require("boardgame.io/server");
const { INVALID_MOVE } = require("boardgame.io/core");
const LINES = require("./lines.cjs");

const game = {
  name: "noughts",
  setup: () => ({ cells: Array(9).fill(null) }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    mark: ({ G, playerID }, cell) => {
      if (G.cells[cell] !== null) return INVALID_MOVE;
      G.cells[cell] = playerID;
    },
  },
  endIf: ({ G, ctx }) => {
    if (LINES.some((line) => line.every((cell) => G.cells[cell] === ctx.currentPlayer))) {
      return { winner: ctx.currentPlayer };
    }
    if (G.cells.every((cell) => cell !== null)) return { draw: true };
  },
};

const server = Server({ games: [game], origins: [Origins.LOCALHOST] });
server.run({ port: 0 }).then(({ appServer }) => console.log(`127.0.0.1:${appServer.address().port}`));
