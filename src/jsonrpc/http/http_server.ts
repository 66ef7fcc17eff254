import type { Clock } from '../../base/clock.ts';
import type { Answer } from '../answer_writer.ts';
import type { Limits } from '../limits.ts';
import type { Subscriber } from '../subscriber.ts';

/** What is shown to a GET: health, metrics, the documents. */
export interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** What speaks HTTP and WebSocket. */
export type HttpServerName = 'uWebSockets.js' | 'node:http';

export interface HttpServerOptions {
  /** The one in use in this process unless said. */
  readonly server?: HttpServerName;
  readonly host: string;
  /** 0 takes a free one; `HttpServer.port` says which. */
  readonly port: number;
  readonly limits: Limits;
  readonly clock: Clock;
  /** Host names, without port, that may stand in `Host` besides the loopback ones; `*` allows all. */
  readonly allowedHosts: readonly string[];
  /** Value of Access-Control-Allow-Origin; undefined leaves CORS off. */
  readonly corsOrigin: string | undefined;
  /**
   * `refused`: no page of a stranger may call by plain POST either, whose answer it couldn't read but whose effect it would have.
   * For servers whose calls act in somebody's name.
   */
  readonly foreignOrigins?: 'refused';
  /** The JSON-RPC answer to a body, which is valid until this returns. Neither throws nor rejects. `senderId` as sender_ids.ts says. */
  readonly answer: (body: Buffer, subscriber?: Subscriber, address?: string, senderId?: () => number) => Answer | Promise<Answer>;
  /** The answer to a body that was answered before, when that is known at once; its bytes are valid until this is called again. */
  readonly fromCache?: (body: Uint8Array, address: string) => Uint8Array | undefined;
  /** What a GET of `path` shows, `/health`, `/livez` and `/readyz` among them; undefined is 404. */
  readonly page: (path: string) => Page | Promise<Page> | undefined;
}

/** An open port. */
export interface HttpServer {
  readonly port: number;
  /** Takes no new calls, answers those under way for at most `drainMs`, then closes. May be called again. */
  close(drainMs?: number): Promise<void>;
}

/** Time that calls under way get when the server closes: a block and its answer. */
export const defaultDrainMs = 5_000;
/** What the other end of a closing connection gets to hear the rest and say goodbye: a few round trips. */
export const goodbyeMs = 1000;
