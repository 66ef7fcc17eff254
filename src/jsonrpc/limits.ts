/** What one node does for one client. Every figure can be set; each has its reason beside the default. */
export interface Limits {
  readonly headBytes: number;
  readonly bodyBytes: number;
  readonly answerBytes: number;
  readonly batchElements: number;
  readonly batchWeight: number;
  readonly jsonDepth: number;
  readonly idBytes: number;
  readonly callDeadlineMs: number;
  readonly waitDeadlineMs: number;
  readonly bodyDeadlineMs: number;
  readonly idleMs: number;
  readonly connections: number;
  readonly connectionsPerAddress: number;
  readonly requestsInFlight: number;
  readonly callsPerSocket: number;
  readonly callsPerSecond: number;
  readonly countsLocalCalls: boolean;
  readonly unsentBytes: number;
  readonly unsentBytesPerAddress: number;
  readonly unsentBytesInAll: number;
  readonly answerDeadlineMs: number;
  readonly subscriptionsPerSocket: number;
  readonly subscriptions: number;
  readonly stalledMs: number;
}

export const defaultLimits: Limits = {
  /** The lineage's limit; browsers and proxies send 1 to 2 KiB, and uWebSockets.js itself closes the connection somewhere above 70. */
  headBytes: 16_000,
  /** A batch of 100 transactions of 8 KiB, the chain's largest, written as JSON. */
  bodyBytes: 1024 * 1024,
  /** A page of 1 000 records of 10 KiB; a client that wants more asks for the next page. */
  answerBytes: 10 * 1024 * 1024,
  /** The point where a larger batch no longer saves anything per element. */
  batchElements: 100,
  /** One to two seconds of work, in time slices between those of other senders. */
  batchWeight: 20_000,
  /** The deepest documented call needs 12 levels. */
  jsonDepth: 32,
  /** Ids are echoed; a UUID has 36 bytes, a signed 128-bit number 40. */
  idBytes: 256,
  /** Ten times the slowest documented read. */
  callDeadlineMs: 10_000,
  /** A synchronous broadcast stays open until its transaction expires: an hour at most, a minute in practice. */
  waitDeadlineMs: 3_600_000,
  /**
   * 1 MiB in 7 s is a slow phone; anything slower holds a connection for nothing. uWebSockets.js closes the connection after 8 s without a
   * response.
   */
  bodyDeadlineMs: 7000,
  /** Two blocks of silence on a kept-alive connection mean nothing, half a minute does; the server counts in steps of 4 s. */
  idleMs: 60_000,
  /** Each costs a descriptor and a few KiB; the usual limit on descriptors is 65 536 on a server, shared with the disk. */
  connections: 16_384,
  /** One user behind one address opens a few; a load generator on the same machine opens hundreds. */
  connectionsPerAddress: 1024,
  /** Includes waiting synchronous broadcasts: 5 000 are promised, the rest is room for reads. */
  requestsInFlight: 10_000,
  /** Pending calls of one WebSocket; the promised 5 000 come over a handful of them. */
  callsPerSocket: 4096,
  /** Calls of one address, batch elements counted; 0 is no limit. */
  callsPerSecond: 0,
  /** Programs of the node's own machine are the operator's, and load generators among them, unless the operator sets a limit. */
  countsLocalCalls: false,
  /** What may be queued unsent for one slow reader: one response of the largest size and the notices of a few blocks. */
  unsentBytes: 16 * 1024 * 1024,
  /** A few of the largest answers: whoever asks for more reads them first. */
  unsentBytesPerAddress: 64 * 1024 * 1024,
  /** A part of the smallest machine's memory that it can do without. */
  unsentBytesInAll: 256 * 1024 * 1024,
  /** The largest answer at 1.4 Mbit/s. */
  answerDeadlineMs: 60_000,
  /** An application follows a handful of accounts; a gateway for many users opens several connections. */
  subscriptionsPerSocket: 256,
  /** About 1 KiB each; ten for each of 10 000 connections. */
  subscriptions: 100_000,
  /** A reader that has taken nothing for that long is gone, whatever the state of its connection. */
  stalledMs: 30_000,
};

/** Calls per second of one address on a publicly reachable bind: ten times what a busy explorer makes. */
export const PUBLIC_CALLS_PER_SECOND = 1000;
