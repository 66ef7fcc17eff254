import type { Clock } from '../../base/clock.ts';
import type { Compresses } from './compression.ts';
import type { OpenFiles } from './open_files.ts';
import type { Answer } from '../answer_writer.ts';
import type { Limits } from '../limits/limits.ts';
import type { RequestSource } from '../limits/request_source.ts';
import type { HeadOf } from './clients.ts';
import type { Header } from './origins.ts';
import type { SocketFault } from './socket_faults.ts';

/** The response to a GET: health, metrics, the documents, what a browser shows. */
export interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  readonly headers?: readonly Header[];
}

/** The client of a GET. Header values are as received, '' when absent. */
export interface PageRequestSource {
  readonly accept: string;
  readonly acceptEncoding: string;
  readonly ifNoneMatch: string;
  /** The one that calls are counted for. */
  readonly address: string;
  /** A program of this machine, as for methods that take a private key. */
  readonly isLocal: boolean;
}

/** A server for HTTP and WebSocket. */
export interface HttpServerKind {
  /** For the operator: said at start, on /health, by doctor and metrics. */
  readonly name: 'uWebSockets.js' | 'node:http';
  /** The reason for this choice: a clause that follows the name. */
  readonly reason: string;
  /** The command that installs the faster one, where there is one. */
  readonly install?: string | undefined;
  readonly open: (options: HttpServerOptions) => Promise<HttpServer>;
}

export interface HttpServerOptions {
  readonly host: string;
  /** 0 takes a free port; `HttpServer.port` tells which. */
  readonly port: number;
  /** A Unix socket that is listened on instead: who can open it is of this machine. By node:http only. */
  readonly unixPath?: string;
  readonly limits: Limits;
  /** Counts the files left for connections; unknown unless given. */
  readonly files?: OpenFiles;
  readonly clock: Clock;
  /** Host names, without port, that may stand in `Host` besides the loopback ones; `*` allows all. */
  readonly allowedHosts: readonly string[];
  /** Addresses and networks of proxies that are believed whom they speak for (clients.ts). */
  readonly trustedProxies: readonly string[];
  /** The web pages that may call, as origins.ts says; all others are refused, by plain POST too. */
  readonly corsOrigins: readonly string[];
  /** Clients whose answers are compressed; none when undefined. */
  readonly compresses: Compresses | undefined;
  /**
   * Calls that don't show it are rejected: as `Authorization: Bearer …`, or as `?token=…` in the URL. None by default.
   */
  readonly token?: string;
  /** The JSON-RPC answer to a body, which is valid until this returns. Neither throws nor rejects. */
  readonly answer: (body: Buffer, requestSource: RequestSource) => Answer | Promise<Answer>;
  /**
   * The response to a body that was answered before, when it is known at once; its bytes are valid until the next call.
   */
  readonly fromCache?: (body: Uint8Array, requestSource: RequestSource) => Uint8Array | undefined;
  /**
   * Returns the value of `X-Pharos-Head` for an answer that is found from now on, for requests that ask for the head.
   */
  readonly head?: HeadOf | undefined;
  /** The page for a GET of `path`, `/health`, `/livez` and `/readyz` among them; undefined is 404. */
  readonly page: (path: string, requestSource: PageRequestSource) => Page | Promise<Page> | undefined;
}

/** The header in which an answer tells of the head. */
export const HEAD_HEADER = 'X-Pharos-Head';
/** The header in which a request asks for a head; lower case, as heads are read. */
export const MIN_HEAD_HEADER = 'x-pharos-min-head';

/** An open port, or Unix socket. */
export interface HttpServer {
  /** 0 for a Unix socket. */
  readonly port: number;
  /** WebSockets that are open. */
  readonly webSockets: number;
  /** WebSockets that have ended by what their clients sent, by its fault. */
  readonly socketFaults: Readonly<Record<SocketFault, number>>;
  /** All connections that are open, WebSockets among them. */
  connections(): Promise<number>;
  /** Accepts no new calls, completes those in progress for at most `drainMs`, then closes. May be called again. */
  close(drainMs?: number): Promise<void>;
}

/** Time for calls in progress when the server closes: a block and its response. */
export const defaultDrainMs = 5_000;
/** Time for the other end of a closing connection to read the rest and close: a few round trips. */
export const goodbyeMs = 1000;
