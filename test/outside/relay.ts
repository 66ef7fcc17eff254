import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** The link between two machines. */
export interface Way {
  readonly delayMs: number;
  /** Both directions together; as much as there is when left out. */
  readonly bytesPerMs?: number;
  /** Of so many pieces in a hundred the first copy is lost: it comes when it has been sent again. */
  readonly lossPercent?: number;
}

const RESENT_MS = 200; // what the kernel waits at least

/** A port that leads to another one over a way with delay, loss and a rate, and that can be cut. */
export class Relay {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #way: Way;
  #isCut = false;
  #freeAtMs = 0;

  private constructor(server: Server, way: Way) {
    const address = server.address();
    this.port = typeof address === 'object' && address !== null ? address.port : 0;
    this.#server = server;
    this.#way = way;
  }

  /** `portOf` is asked at each connection, since a node that starts again may have another. */
  static async open(host: string, portOf: () => number | undefined, way: Way, listenOn = '127.0.0.1'): Promise<Relay> {
    const server = createServer({ noDelay: true });
    // A test that fails must not be kept waiting by what lies between its nodes.
    server.unref();
    server.listen(0, listenOn);
    await once(server, 'listening');
    const relay = new Relay(server, way);
    server.on('connection', (socket) => relay.#take(socket, host, portOf()));
    return relay;
  }

  /** Nothing gets through any more, and nobody is told. */
  cut(): void {
    this.#isCut = true;
  }

  /** New connections get through; those from before are gone. */
  heal(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #take(near: Socket, host: string, port: number | undefined): void {
    if (this.#isCut || port === undefined) return void near.destroy();
    const far = connect({ host, port, noDelay: true });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => from.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        // What is under way arrives before the end.
        setTimeout(() => to.end(), this.#way.delayMs);
      });
      this.#carry(from, to);
    }
  }

  #carry(from: Socket, to: Socket): void {
    const waiting: { readonly bytes: Uint8Array; readonly atMs: number }[] = [];
    const deliver = (): void => {
      for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
        const waitMs = next.atMs - performance.now();
        if (waitMs > 0) return void setTimeout(deliver, waitMs);
        waiting.shift();
        if (!this.#isCut && to.writable) to.write(next.bytes);
      }
    };
    from.on('data', (bytes: Uint8Array) => {
      const nowMs = performance.now();
      const { delayMs, bytesPerMs = Infinity, lossPercent = 0 } = this.#way;
      this.#freeAtMs = Math.max(this.#freeAtMs, nowMs) + bytes.length / bytesPerMs;
      const isLost = Math.random() * 100 < lossPercent;
      // In order, as TCP delivers.
      const atMs = Math.max(waiting.at(-1)?.atMs ?? 0, this.#freeAtMs + delayMs + (isLost ? RESENT_MS : 0));
      waiting.push({ bytes, atMs });
      if (waiting.length === 1) deliver();
      from.pause();
      setTimeout(() => from.resume(), this.#freeAtMs - nowMs);
    });
  }
}
