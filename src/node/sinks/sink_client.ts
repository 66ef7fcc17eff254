import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Port } from '../../base/port.ts';
import type { ChainMessage } from '../../feed/chain_feed.ts';
import type { SinkRecord } from './sink_record.ts';
import type { FromSink, ToSink } from './sink_messages.ts';

/** The front's side of a sink. */
export interface SinkClientParts {
  readonly record: SinkRecord;
  /** Called when the sink ends by a defect of the program or of the disk: the node must stop. */
  readonly failed: (fault: Fault) => void;
  readonly clock: Clock;
  /** Ends the thread once it has stopped. */
  readonly end: () => Promise<void>;
}

/** A server that is far away may not answer; what it has not taken is written at the next start, as after a kill. */
const LONGEST_STOP_MS = 2000;

/** The front's connection to the thread of a sink. */
export class SinkClient {
  readonly #port: Port<FromSink, ToSink>;
  readonly #parts: SinkClientParts;
  #stopped: (() => void) | undefined;
  #isOver = false;

  constructor(port: Port<FromSink, ToSink>, parts: SinkClientParts) {
    this.#port = port;
    this.#parts = parts;
    port.listen((message) => this.#take(message));
  }

  /** Hands over the end of the feed of blocks. */
  follow(chain: Port<ChainMessage, 'taken'>): void {
    this.#port.post({ kind: 'chain', port: chain });
  }

  /** Nothing reads the store for the sink afterwards. */
  async stop(): Promise<void> {
    if (!this.#isOver) {
      this.#isOver = true;
      const stopped = new Promise<void>((resolve) => {
        const cancel = this.#parts.clock.after(LONGEST_STOP_MS, resolve);
        this.#stopped = () => {
          cancel();
          resolve();
        };
      });
      this.#port.post({ kind: 'stop' });
      await stopped;
    }
    await this.#parts.end();
  }

  /** The sink will say nothing more. */
  fail(fault: Fault): void {
    this.#stopped?.();
    if (this.#isOver) return;
    this.#isOver = true;
    this.#parts.failed(fault);
  }

  #take(message: FromSink): void {
    switch (message.kind) {
      case 'state':
        return this.#parts.record.take(message.figures);
      case 'stopped':
        return this.#stopped?.();
      case 'failed':
        return this.fail(new Fault(message.code === 'assertion' ? 'runtime' : message.code, message.message));
    }
  }
}
