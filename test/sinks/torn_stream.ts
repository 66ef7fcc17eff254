import { present } from '../../src/base/assert.ts';
import type { Mark, Sink, StreamMessage } from '../../src/sinks/sink.ts';
import type { RandomSource } from '../builders/random_source.ts';

interface Sent {
  readonly message: StreamMessage;
  readonly expected: number;
  /** The message that was sent before it over the same connection. */
  readonly behind: StreamMessage | undefined;
}

/** A broker's stream, which takes a message only behind the one that it expects, whoever sends it and when. */
export class StreamServer {
  readonly messages: StreamMessage[] = [];
  /** Sent over connections that are gone, and still under way. */
  readonly late: Sent[] = [];

  take({ message, expected, behind }: Sent): boolean {
    if (expected !== this.messages.length || (behind !== undefined && !isSame(behind, this.messages.at(-1))))
      return false;
    this.messages.push(message);
    return true;
  }

  /** Some of what was under way arrives after all. */
  deliverLate(): void {
    for (const sent of this.late.splice(0)) this.take(sent);
  }
}

/** True when two messages at one place have one id. */
function isSame({ mark }: StreamMessage, other: StreamMessage | undefined): boolean {
  return (
    other !== undefined &&
    mark.event === other.mark.event &&
    mark.block === other.mark.block &&
    mark.message === other.mark.message
  );
}

/**
 * A way to such a server that tears now and then: of what is under way then, some has arrived, some comes late, and
 * some never.
 */
export class TornStream implements Sink {
  readonly #server: StreamServer;
  readonly #randomSource: RandomSource;
  readonly #tornPercent: number;
  #sequence = 0;
  readonly #underWay: Sent[] = [];
  #sent: StreamMessage | undefined;
  last: Mark | undefined;

  constructor(server: StreamServer, randomSource: RandomSource, tornPercent: number) {
    this.#server = server;
    this.#randomSource = randomSource;
    this.#tornPercent = tornPercent;
  }

  get lostMessages(): number {
    return 0;
  }

  async position(): Promise<Mark | undefined> {
    await this.#turn();
    this.#maybeTear();
    this.#sent = undefined;
    this.#sequence = this.#server.messages.length;
    this.#server.deliverLate();
    this.last = this.#server.messages[this.#sequence - 1]?.mark;
    return this.last;
  }

  async find(block: string): Promise<Mark | undefined> {
    await this.accepted();
    return this.#server.messages.findLast(
      ({ mark }) => mark.block === block && (mark.event === 'block' || mark.event === 'operation'),
    )?.mark;
  }

  async publish(message: StreamMessage): Promise<void> {
    this.#underWay.push({ message, expected: this.#sequence++, behind: this.#sent });
    this.#sent = message;
    if (this.#randomSource.chance(50)) await this.accepted();
  }

  async accepted(): Promise<void> {
    await this.#turn();
    while (this.#underWay.length > 0) {
      this.#maybeTear();
      const sent = present(this.#underWay.shift(), 'a message');
      if (!this.#server.take(sent)) throw new Error('another sequence');
      this.last = sent.message.mark;
    }
  }

  close(): Promise<void> {
    this.#tear();
    return Promise.resolve();
  }

  /** As when its process is killed. */
  #tear(): void {
    for (const sent of this.#underWay.splice(0)) {
      if (this.#randomSource.chance(40)) this.#server.take(sent);
      else if (this.#randomSource.chance(50)) this.#server.late.push(sent);
    }
  }

  #maybeTear(): void {
    if (!this.#randomSource.chance(this.#tornPercent)) return;
    this.#tear();
    throw new Error('the way is torn');
  }

  async #turn(): Promise<void> {
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }
}
