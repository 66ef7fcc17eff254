import type { NodeId } from './wire_values.ts';

/** A numeric address of the other side. */
export interface Address {
  /** IPv4 or IPv6, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** A byte pipe to one authenticated peer: what a link is made of. Bytes arrive in order. */
export interface Pipe {
  /** Who the other side has proved to be. */
  readonly peer: NodeId;
  readonly address: Address;
  readonly isInbound: boolean;
  /** Bytes that were written and have not left the process. */
  readonly waitingBytes: number;
  /** The bytes are the pipe's from then on. */
  write(bytes: Uint8Array): void;
  /** Nothing more is taken from the other side until `resume`, so that it has to wait. */
  pause(): void;
  resume(): void;
  /** Ends it when what was written is on its way; what comes meanwhile is dropped. */
  close(): void;
}

/** Whoever hears of a pipe. */
export interface PipeListener {
  /** The bytes are the listener's from then on. */
  received(bytes: Uint8Array): void;
  /** What was waiting to leave has left. */
  drained(): void;
  /** The other side has closed it, or it broke; once, and not after `close`. */
  closed(): void;
}
