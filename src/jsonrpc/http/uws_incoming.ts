import { PostingClient, type Clients, type HeadOf } from './clients.ts';
import type { Header } from './origins.ts';
import type { Rejection } from './request_guard.ts';
import type { HttpResponse } from './uws.ts';
import { remoteAddress, type Asked } from './uws_answers.ts';
import type { UwsHead } from './uws_head.ts';

/**
 * A request, its sender and what its body needs while it is received: one object for each, which counts beside a cached
 * response.
 */
export class Incoming extends PostingClient implements Asked {
  readonly losesConnection = true;
  readonly response: HttpResponse;
  readonly closes: boolean;
  readonly closesUnnoticed: boolean;
  readonly isHead: boolean;
  readonly headers: readonly Header[];
  /** '' where nothing is compressed. */
  acceptEncoding = '';
  /** The number of the sweep that finds it too slow. */
  readonly lastSweep: number;
  /** The chunks before the last one; undefined while there are none. */
  chunks: Buffer[] | undefined;
  bytes = 0;
  /** Those of them that are counted while the rest is awaited. */
  held = 0;
  gone = false;
  /** The answer is known, and the body is not wanted. */
  refused: Rejection | undefined;

  constructor(
    clients: Clients,
    response: HttpResponse,
    head: UwsHead,
    headers: readonly Header[],
    lastSweep: number,
    headOf: HeadOf | undefined,
  ) {
    super(clients, head.trail, head.minHead, headOf);
    this.response = response;
    this.closes = head.closes;
    this.closesUnnoticed = head.closesUnnoticed;
    this.isHead = head.method === 'head';
    this.headers = headers;
    this.lastSweep = lastSweep;
  }

  peer(): string {
    return remoteAddress(this.response);
  }

  /** The binding looks at all that it has read before it returns to the loop. */
  isKept(): Promise<boolean> {
    return new Promise((resolve) => void setImmediate(() => resolve(!this.gone)));
  }
}
