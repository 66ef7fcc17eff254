import type { BlockId } from '../../values/hash.ts';
import type { MessageKind } from '../../wire/message_kind.ts';
import { ping } from '../../wire/messages/ping.ts';
import { status } from '../../wire/messages/status.ts';
import type { Environment } from '../environment/environment.ts';
import { ownStatus } from './own_hello.ts';

const PING_EACH_MS = 10_000;
const SILENCE_MS = 30_000;
const STATUS_EACH_MS = 10_000;
const STATUS_AT_MOST_EACH_MS = 1000;

export interface PeerPulseParts {
  readonly environment: Environment;
  send<T>(kind: MessageKind<T>, value: T): void;
}

/** Sends pings and this node's status by the clock, and notices when a peer no longer answers. */
export class PeerPulse {
  readonly #parts: PeerPulseParts;
  #heardAtMs: number;
  #ping: { readonly number: bigint; readonly atMs: number } | undefined;
  #pingedAtMs: number;
  #pingMs: number | undefined;
  #statusSentMs: number;
  #saidHead: BlockId;

  constructor(parts: PeerPulseParts) {
    const { clock, view } = parts.environment;
    const nowMs = clock.elapsedMs();
    this.#parts = parts;
    this.#heardAtMs = nowMs;
    this.#pingedAtMs = nowMs;
    this.#statusSentMs = nowMs;
    this.#saidHead = view.head.id;
  }

  /** The round trip of the last ping. */
  get pingMs(): number | undefined {
    return this.#pingMs;
  }

  /** It has sent something. */
  heard(nowMs: number): void {
    this.#heardAtMs = nowMs;
  }

  isSilent(nowMs: number): boolean {
    return nowMs - this.#heardAtMs > SILENCE_MS;
  }

  /** Sends what is due. */
  tick(nowMs: number): void {
    if (nowMs - this.#pingedAtMs >= PING_EACH_MS) this.ping(nowMs);
    const sinceStatusMs = nowMs - this.#statusSentMs;
    const isNews = this.#parts.environment.view.head.id !== this.#saidHead;
    if (sinceStatusMs >= STATUS_EACH_MS || (isNews && sinceStatusMs >= STATUS_AT_MOST_EACH_MS)) this.#sendStatus(nowMs);
  }

  ping(nowMs: number): void {
    // Not to be foreseen, so that nobody can answer before it is asked.
    const number = BigInt(this.#parts.environment.randomSource.roll(2 ** 31));
    this.#ping = { number, atMs: nowMs };
    this.#pingedAtMs = nowMs;
    this.#parts.send(ping, { number });
  }

  /** A ping is answered: how long it took; undefined when it was none of ours. */
  answered(number: bigint, nowMs: number): number | undefined {
    if (this.#ping?.number !== number) return undefined;
    this.#pingMs = nowMs - this.#ping.atMs;
    this.#ping = undefined;
    return this.#pingMs;
  }

  #sendStatus(nowMs: number): void {
    const own = ownStatus(this.#parts.environment);
    this.#statusSentMs = nowMs;
    this.#saidHead = own.head_id;
    this.#parts.send(status, own);
  }
}
