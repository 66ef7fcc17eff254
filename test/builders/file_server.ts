import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** A server's way of giving a file. */
export interface ServedFile {
  readonly bytes: Uint8Array;
  readonly etag?: string;
  /** After so many bytes of each answer the connection ends. */
  readonly cutAfter?: number;
  /** The answer in place of the file. */
  readonly status?: number;
  /** True, the default, when parts can be asked for. */
  readonly hasRanges?: boolean;
}

/** A server of files on this machine, as they are when they are asked for. */
export class FileServer {
  readonly files = new Map<string, ServedFile>();
  /** The ranges of all requests, in order. */
  readonly asked: (string | undefined)[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  static async open(): Promise<FileServer> {
    const server = new FileServer();
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  /** By name: what a program prints of its own port begins with the number. */
  url(path: string): string {
    const address = this.#server.address();
    return `http://localhost:${typeof address === 'object' ? (address?.port ?? 0) : 0}${path}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
    const {
      bytes,
      etag,
      cutAfter,
      status = 200,
      hasRanges = true,
    } = this.files.get(url) ?? { bytes: new Uint8Array(0), status: 404 };
    this.asked.push(headers.range);
    if (status !== 200) return void response.writeHead(status).end();
    const isRest = hasRanges && headers.range !== undefined && headers['if-range'] === etag;
    const from = isRest ? Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1]) : 0;
    if (isRest && from >= bytes.length) return void response.writeHead(416).end();
    const rest = bytes.subarray(from);
    response.writeHead(isRest ? 206 : 200, {
      'content-length': rest.length,
      ...(etag === undefined ? {} : { etag }),
      ...(isRest ? { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {}),
    });
    if (cutAfter === undefined || cutAfter >= rest.length) return void response.end(rest);
    response.write(rest.subarray(0, cutAfter), () => response.destroy());
  }
}
