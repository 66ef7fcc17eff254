import type { Clock } from '../../base/clock.ts';
import type { OpenFiles } from './open_files.ts';
import type { Answer } from '../answer_writer.ts';
import type { Limits } from '../limits.ts';
import type { Asker } from '../asker.ts';
import type { HeadOf } from './clients.ts';
import type { Header } from './origins.ts';

/** The response to a GET: health, metrics, the documents, what a browser shows. */
export interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  readonly headers?: readonly Header[];
}

/** What a GET says of its client. Header values are as received, '' when absent. */
export interface PageAsker {
  readonly accept: string;
  readonly acceptEncoding: string;
  readonly ifNoneMatch: string;
  /** A program of this machine, as for methods that take a private key. */
  readonly isLocal: boolean;
}

/** What speaks HTTP and WebSocket. */
export interface HttpServerKind {
  /** For the operator, said at start. */
  readonly name: string;
  readonly open: (options: HttpServerOptions) => Promise<HttpServer>;
}

export interface HttpServerOptions {
  readonly host: string;
  /** 0 takes a free port; `HttpServer.port` tells which. */
  readonly port: number;
  readonly limits: Limits;
  /** What is left for connections; unknown unless said. */
  readonly files?: OpenFiles;
  readonly clock: Clock;
  /** Host names, without port, that may stand in `Host` besides the loopback ones; `*` allows all. */
  readonly allowedHosts: readonly string[];
  /** Addresses and networks of proxies that are believed whom they speak for (clients.ts). */
  readonly trustedProxies: readonly string[];
  /** The web pages that may call, as origins.ts says; all others are refused, by plain POST too. */
  readonly corsOrigins: readonly string[];
  /** Calls that don't show it are rejected: as `Authorization: Bearer …`, or as `?token=…` in the URL. None by default. */
  readonly token?: string;
  /** The JSON-RPC answer to a body, which is valid until this returns. Neither throws nor rejects. */
  readonly answer: (body: Buffer, asker: Asker) => Answer | Promise<Answer>;
  /** The response to a body that was answered before, when it is known at once; its bytes are valid until the next call. */
  readonly fromCache?: (body: Uint8Array, asker: Asker) => Uint8Array | undefined;
  /** What `X-Pharos-Head` says beside an answer that is found from now on, to who asks for that head; undefined where nothing is to be said. */
  readonly head?: HeadOf | undefined;
  /** The page for a GET of `path`, `/health`, `/livez` and `/readyz` among them; undefined is 404. */
  readonly page: (path: string, asker: PageAsker) => Page | Promise<Page> | undefined;
}

/** The header in which an answer tells of the head. */
export const HEAD_HEADER = 'X-Pharos-Head';
/** The header in which a request asks for a head; lower case, as heads are read. */
export const MIN_HEAD_HEADER = 'x-pharos-min-head';

/** An open port. */
export interface HttpServer {
  readonly port: number;
  /** WebSockets that are open. */
  readonly webSockets: number;
  /** All connections that are open, WebSockets among them; undefined where the server is not told of them. */
  connections(): Promise<number> | undefined;
  /** Accepts no new calls, completes those in progress for at most `drainMs`, then closes. May be called again. */
  close(drainMs?: number): Promise<void>;
}

/** Time for calls in progress when the server closes: a block and its response. */
export const defaultDrainMs = 5_000;
/** Time for the other end of a closing connection to read the rest and close: a few round trips. */
export const goodbyeMs = 1000;
