import { Agent, request, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

/** A name that leads to one proxy, and to another one when its record changes. */
export interface Name {
  port: number;
}

/** An answer, and the certificate of the connection on which it came. */
export interface KeptAnswer {
  readonly status: number;
  readonly text: string;
  readonly fingerprint: string;
}

/** Looks a name up for each connection that it opens. No session is resumed: each one sees a certificate. */
class NameAgent extends Agent {
  readonly #name: Name;

  constructor(name: Name, address: string) {
    super({
      keepAlive: true,
      maxSockets: 1,
      maxCachedSessions: 0,
      rejectUnauthorized: false,
      localAddress: address,
    });
    this.#name = name;
  }

  override createConnection(
    options: RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    return super.createConnection({ ...options, port: this.#name.port }, callback);
  }
}

/** A client with one connection at a time, which it keeps as long as the other side lets it. It asks nothing twice. */
export class KeptClient {
  readonly #agent: Agent;

  constructor(name: Name, address: string) {
    this.#agent = new NameAgent(name, address);
  }

  async ask(body: string): Promise<KeptAnswer> {
    return await new Promise((resolve, reject) => {
      const headers = { 'content-length': Buffer.byteLength(body) };
      const sent = request(
        { host: 'localhost', port: 443, method: 'POST', agent: this.#agent, headers },
        (response) => {
          const fingerprint =
            response.socket instanceof TLSSocket ? response.socket.getPeerCertificate().fingerprint256 : '';
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text, fingerprint }));
          response.on('error', reject);
        },
      );
      sent.on('error', (error) => reject(sent.reusedSocket ? new ClosedWhileKept(error.message) : error));
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** A kept connection was closed before the answer. */
export class ClosedWhileKept extends Error {}
