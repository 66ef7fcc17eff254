/** Limits of a node for its clients. Every figure can be set; each has its reason beside the default. */
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
  readonly requestsInFlightPerAddress: number;
  readonly callsPerSocket: number;
  readonly verifierCalls: number;
  readonly verifierCallsPerAddress: number;
  readonly callsPerSecond: number;
  readonly countsLocalCalls: boolean;
  readonly receivedBytesPerAddress: number;
  readonly receivedBytesInAll: number;
  readonly unsentBytes: number;
  readonly unsentBytesPerAddress: number;
  readonly unsentBytesInAll: number;
  readonly answerDeadlineMs: number;
  readonly subscriptionsPerSocket: number;
  readonly subscriptions: number;
  readonly subscriptionsPerAddress: number;
  readonly stalledMs: number;
}

export const defaultLimits: Limits = {
  /**
   * The lineage's limit; browsers and proxies send 1 to 2 KiB, and uWebSockets.js itself closes the connection
   * somewhere above 70.
   */
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
   * 1 MiB in 7 s is a slow phone; anything slower holds a connection for nothing. uWebSockets.js closes the connection
   * after 8 s without a response.
   */
  bodyDeadlineMs: 7000,
  /**
   * Two blocks of silence on a kept-alive connection mean nothing, half a minute does; the server counts in steps of 4
   * s.
   */
  idleMs: 60_000,
  /**
   * Each costs a descriptor and a few KiB; the usual limit on descriptors is 65 536 on a server, shared with the disk.
   */
  connections: 16_384,
  /** One user behind one address opens a few; a load generator on the same machine opens hundreds. */
  connectionsPerAddress: 1024,
  /** Includes waiting synchronous broadcasts: 5 000 are promised, the rest is room for reads. */
  requestsInFlight: 10_000,
  /** The promised 5 000 may come from one program; the rest is for others. */
  requestsInFlightPerAddress: 6000,
  /** Pending calls of one WebSocket; the promised 5 000 come over a handful of them. */
  callsPerSocket: 4096,
  /** Calls that have signatures verified or a transaction tried, one behind the other: about half a second of work. */
  verifierCalls: 512,
  /** A whole batch, and some more. */
  verifierCallsPerAddress: 128,
  /** Calls of one address, batch elements counted; 0 is no limit. */
  callsPerSecond: 0,
  /**
   * Programs of the node's own machine are the operator's, and load generators among them, unless the operator sets a
   * limit.
   */
  countsLocalCalls: false,
  /** Parts of requests that wait for the rest: sixty of the largest at once. */
  receivedBytesPerAddress: 64 * 1024 * 1024,
  /**
   * A part of the smallest machine's memory that it can do without: connections alone would hold 16 GiB for seven
   * seconds.
   */
  receivedBytesInAll: 256 * 1024 * 1024,
  /** Queued bytes for one slow reader: one response of the largest size and the notices of a few blocks. */
  unsentBytes: 16 * 1024 * 1024,
  /** A few of the largest answers: a client that wants more reads them first. */
  unsentBytesPerAddress: 64 * 1024 * 1024,
  /** A part of the smallest machine's memory that it can do without. */
  unsentBytesInAll: 256 * 1024 * 1024,
  /** The largest answer at 1.4 Mbit/s. */
  answerDeadlineMs: 60_000,
  /** An application follows a handful of accounts; a gateway for many users opens several connections. */
  subscriptionsPerSocket: 256,
  /** About 1 KiB each; ten for each of 10 000 connections. */
  subscriptions: 100_000,
  /** Forty full connections: more than a gateway needs that doesn't say whom it serves. */
  subscriptionsPerAddress: 10_000,
  /** A reader that has taken nothing for that long is gone, whatever the state of its connection. */
  stalledMs: 30_000,
};

/**
 * Sums that all clients share, with the share of one address: an address that takes its whole share leaves the others
 * theirs (shared_sum.ts).
 */
export const shares = {
  connections: 'connectionsPerAddress',
  requestsInFlight: 'requestsInFlightPerAddress',
  verifierCalls: 'verifierCallsPerAddress',
  receivedBytesInAll: 'receivedBytesPerAddress',
  unsentBytesInAll: 'unsentBytesPerAddress',
  subscriptions: 'subscriptionsPerAddress',
} as const satisfies Partial<Record<keyof Limits, keyof Limits>>;

/**
 * Params with this many values are read within some milliseconds; the largest documented call, a block of 1 MiB, has
 * fewer.
 */
export const MOST_PARAM_VALUES = 65_536;

/** Calls per second of one address on a publicly reachable bind: ten times what a busy explorer makes. */
export const PUBLIC_CALLS_PER_SECOND = 1000;
