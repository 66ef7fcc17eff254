import type { Clock } from '../../base/clock.ts';
import { sha256Hex } from '../../crypto/hashes.ts';
import { ByteBudget } from './byte_budget.ts';
import { Channel } from './channel.ts';
import type { MessageForm } from '../message_kind.ts';
import { genesis, type Genesis } from '../messages/genesis.ts';
import { genesisRequest } from '../messages/genesis_request.ts';
import { goodbye } from '../messages/goodbye.ts';
import { hello, type Hello } from '../messages/hello.ts';
import { unavailable } from '../messages/unavailable.ts';
import type { Pipe, PipeListener } from './pipe.ts';
import { reasons } from '../reasons.ts';

/** The genesis of a development chain, or the reason why there is none. */
export type FetchedGenesis =
  | { readonly kind: 'genesis'; readonly genesis: Genesis }
  | { readonly kind: 'failed'; readonly reason: string };

/** Both texts, each at its largest. */
const MOST_BYTES = 2 * 1024 * 1024;

/** Asks a node for its genesis before any hello of ours, and believes it when both hashes are those of its hello. */
export class GenesisFetch {
  readonly #channel: Channel;
  readonly #done: (fetched: FetchedGenesis) => void;
  #hello: Hello | undefined;
  #genesis: Genesis | undefined;
  #isOver = false;

  /** `done` is called once. */
  constructor(pipe: Pipe, clock: Clock, done: (fetched: FetchedGenesis) => void) {
    this.#done = done;
    this.#channel = new Channel(pipe, clock, new ByteBudget(MOST_BYTES), {
      isWanted: (form) =>
        form === hello || form === goodbye || form === unavailable || (form === genesis && this.#genesis === undefined),
      take: (form, bytes) => this.#take(form, bytes),
      malformed: ({ message }) => this.#fail(`what it says is out of form: ${message}`),
      overLimit: ({ message }) => this.#fail(message),
      closed: () => this.#fail('it has closed the connection'),
    });
    this.#channel.send(genesisRequest, {});
  }

  /** Hears of the pipe. */
  get listener(): PipeListener {
    return this.#channel;
  }

  #take(form: MessageForm, bytes: Uint8Array): void {
    if (form === hello) this.#hello = hello.decode(bytes);
    if (form === genesis) this.#genesis = genesis.decode(bytes);
    if (form === unavailable) return this.#fail('it is no development chain');
    if (form === goodbye) return this.#fail(`it says goodbye: ${goodbye.decode(bytes).text}`);
    if (this.#hello !== undefined && this.#genesis !== undefined) this.#check(this.#hello, this.#genesis);
  }

  #check({ chain_id, profile }: Hello, told: Genesis): void {
    const isRight = sha256Hex(told.profile) === profile && sha256Hex(told.genesis) === chain_id;
    if (!isRight) return this.#fail('its genesis is not that of its chain');
    this.#end({ kind: 'genesis', genesis: told });
  }

  #fail(reason: string): void {
    this.#end({ kind: 'failed', reason });
  }

  #end(fetched: FetchedGenesis): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#channel.close(goodbye, { reason: reasons.stopping, text: '', retry_after_seconds: 0 });
    this.#done(fetched);
  }
}
