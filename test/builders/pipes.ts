import { sha256Hex } from '../../src/crypto/hashes.ts';
import type { Address } from '../../src/wire/addresses.ts';
import type { Pipe, PipeListener } from '../../src/wire/link/pipe.ts';

/** The id of a test node. */
export function makeNodeId(name: string): string {
  return sha256Hex(Buffer.from(name));
}

/** One end of a pipe that a test empties by hand. */
export class HandPipe implements Pipe {
  readonly peer: string;
  readonly address: Address;
  readonly isInbound: boolean;
  /** The written bytes that were not carried over yet. */
  written: Uint8Array[] = [];
  isClosed = false;
  /** True when the other side has to wait. */
  isPaused = false;
  carriedBytes: number | undefined;
  listener: PipeListener | undefined;

  constructor(peer: string, isInbound: boolean, address: Address = { host: '127.0.0.1', port: 1 }) {
    this.peer = peer;
    this.isInbound = isInbound;
    this.address = address;
  }

  get waitingBytes(): number {
    return this.written.reduce((sum, { length }) => sum + length, 0);
  }

  write(bytes: Uint8Array): void {
    if (!this.isClosed) this.written.push(bytes);
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  close(): void {
    this.isClosed = true;
  }

  /** Takes out what was written. */
  take(): Uint8Array {
    const bytes = Buffer.concat(this.written);
    this.written = [];
    this.listener?.drained();
    return bytes;
  }
}
