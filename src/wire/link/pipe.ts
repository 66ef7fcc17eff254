import type { Address } from '../addresses.ts';
import type { NodeId } from '../wire_values.ts';

/** A byte pipe to one authenticated peer: what a link is made of. Bytes arrive in order. */
export interface Pipe {
  /** The id that the other side has proved. */
  readonly peer: NodeId;
  readonly address: Address;
  readonly isInbound: boolean;
  /** Bytes that were written and have not left the process. */
  readonly waitingBytes: number;
  /** All bytes that the other side has sent since then and that were read, what carries its words included. */
  readonly carriedBytes?: number | undefined;
  /** The bytes are the pipe's from then on. */
  write(bytes: Uint8Array): void;
  /** Nothing more is taken from the other side until `resume`, so that it has to wait. */
  pause(): void;
  resume(): void;
  /** Ends it when what was written is on its way; what comes meanwhile is not read. */
  close(): void;
}

/** Listens to a pipe. */
export interface PipeListener {
  /** The bytes are the listener's from then on. */
  received(bytes: Uint8Array): void;
  /** All waiting bytes have left. */
  drained(): void;
  /** The other side has closed it, or it broke; once, and not after `close`. */
  closed(): void;
}

/** The end of dialling; one of the two is called, and not before `dial` has returned. */
export interface DialEvents {
  /** The other side has shown who it is. The result hears of the pipe. */
  connected(pipe: Pipe): PipeListener;
  failed(reason: string): void;
}
