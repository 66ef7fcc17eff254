import { present } from '../../base/assert.ts';
import type { BlockId } from '../../values/hash.ts';
import type { Mark, Sink, StreamMessage } from '../sink.ts';
import { NatsSession, type NatsSinkParts } from './nats_session.ts';

/**
 * A stream of NATS JetStream. Each message says which sequence it expects before it, so whatever is sent twice, or late over a connection that
 * seemed lost, is taken once or never.
 */
export class NatsSink implements Sink {
  readonly #parts: NatsSinkParts;
  #session: NatsSession | undefined;
  #last: Mark | undefined;

  constructor(parts: NatsSinkParts) {
    this.#parts = parts;
  }

  get last(): Mark | undefined {
    return this.#session === undefined ? this.#last : this.#session.last;
  }

  async position(): Promise<Mark | undefined> {
    await this.close();
    this.#session = await NatsSession.open(this.#parts);
    return this.#session.last;
  }

  async find(block: BlockId): Promise<Mark | undefined> {
    return await this.#open.find(block);
  }

  async publish(message: StreamMessage): Promise<void> {
    await this.#open.publish(message);
  }

  async accepted(): Promise<void> {
    await this.#open.accepted();
  }

  async close(): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    this.#last = session.last;
    this.#session = undefined;
    await session.close();
  }

  get #open(): NatsSession {
    return present(this.#session, 'a connection');
  }
}
