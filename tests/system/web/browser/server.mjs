// Runs the server, a proxy that loses connections, and the client in a terminal.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { createInterface } from "node:readline";
import { Transform } from "node:stream";
import { waitUntil } from "./wait.mjs";

/** A server that can be killed and started again on the same port with the same data. */
export class Server {
  constructor(data, options = []) {
    this.data = data;
    this.options = options;
    this.listen = "127.0.0.1:0";
  }

  async start() {
    this.process = spawn(
      process.env.NOUGHTS_SERVER,
      [
        "--listen",
        this.listen,
        "--data",
        this.data,
        "--durability",
        "process",
        ...this.options,
      ],
      { stdio: ["ignore", "pipe", "ignore"] },
    );
    const [line] = await once(createInterface(this.process.stdout), "line");
    const { host } = new URL(line.replace(/^Browser: /, ""));
    this.listen = host;
    this.page = `http://${host}/`;
  }

  async kill() {
    const ended = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await ended;
  }
}

/** Forwards connections to a server until a test lets it lose them. */
export class Proxy {
  constructor(target) {
    this.target = new URL(target);
    this.pairs = new Set();
    this.isCut = false;
    this.heldPath = null;
  }

  async start() {
    this.listener = createServer((client) => {
      if (this.isCut) return void client.destroy();
      const server = connect(Number(this.target.port), this.target.hostname);
      const pair = [client, server];
      this.pairs.add(pair);
      const requests = new Transform({
        transform: (data, _encoding, done) =>
          void this.untilReleased(data).then(() => done(null, data)),
      });
      client.pipe(requests).pipe(server).pipe(client);
      for (const socket of pair) {
        socket.on("error", () => {});
        socket.on("close", () => {
          for (const other of pair) other.destroy();
          this.pairs.delete(pair);
        });
      }
    });
    this.listener.listen(0, "127.0.0.1");
    await once(this.listener, "listening");
    this.page = `http://127.0.0.1:${this.listener.address().port}/`;
  }

  /** Loses all connections, and accepts none until `mend`. */
  cut() {
    this.isCut = true;
    for (const pair of this.pairs) for (const socket of pair) socket.destroy();
  }

  mend() {
    this.isCut = false;
  }

  /** Holds back requests with a text in their path, until the returned function is called. */
  hold(path) {
    this.heldPath = path;
    this.released = new Promise((resolve) => {
      this.release = () => {
        this.heldPath = null;
        resolve();
      };
    });
    return this.release;
  }

  async untilReleased(data) {
    if (this.heldPath && data.includes(this.heldPath)) await this.released;
  }

  stop() {
    this.release?.();
    this.cut();
    this.listener?.close();
  }
}

/** The client in line mode. */
export class Terminal {
  constructor(folder, ...options) {
    const { NOUGHTS_SERVER: server, ...environment } = process.env;
    const env = {
      ...environment,
      HOME: folder,
      XDG_CONFIG_HOME: folder,
      XDG_STATE_HOME: folder,
    };
    this.process = spawn(
      server.replace(/noughts-server$/, "noughts"),
      [...options, "--ui", "line", "--lang", "en"],
      { stdio: ["pipe", "pipe", "ignore"], env },
    );
    this.output = "";
    this.process.stdout.on("data", (data) => {
      this.output += data;
    });
  }

  write(line) {
    this.process.stdin.write(`${line}\n`);
  }

  until(pattern) {
    return waitUntil(
      () => pattern.exec(this.output),
      () => `${pattern}: ${this.output}`,
    );
  }

  kill() {
    this.process.kill("SIGKILL");
  }
}
