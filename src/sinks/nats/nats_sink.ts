import { present } from '../../base/assert.ts';
import type { BlockId } from '../../values/hash.ts';
import type { Mark, Sink, StreamMessage } from '../sink.ts';
import type { Acknowledged } from '../acknowledged.ts';
import { NatsSession, type NatsSinkParts } from './nats_session.ts';

/** Messages acknowledged within this time before the end of a process may not be recorded, and are not missed. */
const KEEP_EACH_MS = 2000;

/**
 * A stream of NATS JetStream. Each message says which sequence it expects before it, so whatever is sent twice, or late
 * over a connection that seemed lost, is taken once or never.
 */
export class NatsSink implements Sink {
  readonly #parts: NatsSinkParts;
  #session: NatsSession | undefined;
  #last: Mark | undefined;
  #acknowledged: Acknowledged | undefined;
  #lostMessages = 0;
  #keptSequence = 0;
  #keptMs = 0;

  constructor(parts: NatsSinkParts) {
    this.#parts = parts;
    this.#acknowledged = parts.kept?.read();
  }

  get last(): Mark | undefined {
    return this.#session === undefined ? this.#last : this.#session.last;
  }

  get lostMessages(): number {
    return this.#lostMessages;
  }

  async position(): Promise<Mark | undefined> {
    await this.close();
    const session = await NatsSession.open(this.#parts);
    this.#session = session;
    this.#lostMessages += await countLost(session, this.#acknowledged);
    this.#acknowledged = session.acknowledged;
    this.#keep();
    return session.last;
  }

  async find(block: BlockId): Promise<Mark | undefined> {
    return await this.#open.find(block);
  }

  async publish(message: StreamMessage): Promise<void> {
    await this.#open.publish(message);
    this.#keepNow();
  }

  async accepted(): Promise<void> {
    await this.#open.accepted();
    this.#keepNow();
  }

  async close(): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    this.#last = session.last;
    this.#acknowledged = session.acknowledged;
    this.#session = undefined;
    this.#keep();
    await session.close();
  }

  #keepNow(): void {
    if (this.#parts.clock.elapsedMs() - this.#keptMs < KEEP_EACH_MS) return;
    this.#acknowledged = this.#open.acknowledged;
    this.#keep();
  }

  #keep(): void {
    const { kept, clock } = this.#parts;
    this.#keptMs = clock.elapsedMs();
    if (this.#acknowledged === undefined || this.#acknowledged.sequence === this.#keptSequence) return;
    this.#keptSequence = this.#acknowledged.sequence;
    kept?.write(this.#acknowledged);
  }

  get #open(): NatsSession {
    return present(this.#session, 'a connection');
  }
}

/** Counts the acknowledged messages that a stream lacks; one when its end was replaced by as many others. */
async function countLost(session: NatsSession, before: Acknowledged | undefined): Promise<number> {
  if (before === undefined || before.sequence === 0) return 0;
  const { created, sequence } = session.acknowledged;
  if (created !== before.created) return before.sequence;
  if (sequence < before.sequence) return before.sequence - sequence;
  const found = await session.readMarkAtSequence(before.sequence);
  return found === undefined || before.mark === undefined || isSameMark(found, before.mark) ? 0 : 1;
}

function isSameMark(a: Mark, b: Mark): boolean {
  return a.event === b.event && a.block === b.block && a.head === b.head && a.message === b.message;
}
