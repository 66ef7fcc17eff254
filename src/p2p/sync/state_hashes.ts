import { refusals } from '../../base/refusal.ts';
import type { BlockId, Digest } from '../../values/hash.ts';
import type { ChainUpdate } from '../environment/chain_access.ts';
import type { MessageRouter } from '../peers/message_router.ts';
import { stateHash } from '../../wire/messages/state_hash.ts';
import type { Peer } from '../peers/peer.ts';

const refuse = refusals({
  state_hash_off: { text: 'state hashes are told of each {each} blocks, and this is of block {number}' },
});

/** Of which blocks the states are compared: half a day's difference would cost no more to find. */
export const STATE_HASH_EACH = 1000;
/** Two days of them. */
const MOST_REMEMBERED = 64;

interface KnownState {
  readonly id: BlockId;
  readonly hash: Digest;
}

export interface StateHashParts {
  readonly router: MessageRouter<Peer>;
  readonly live: () => readonly Peer[];
  readonly isTrusted: (peer: Peer) => boolean;
  /** A trusted peer has another state behind the same block: one of the two is wrong. */
  readonly differs: (sentence: string) => void;
}

/**
 * Compares the state of the chain with that of peers whose word the operator takes, and tells ours to those who take
 * our word.
 */
export class StateHashes {
  readonly #parts: StateHashParts;
  readonly #own = new Map<number, KnownState>();
  /** State hashes of trusted peers at heights that this node has not reached. */
  readonly #said = new Map<number, KnownState & { readonly peer: Peer }>();

  constructor(parts: StateHashParts) {
    this.#parts = parts;
    parts.router.on(stateHash, (peer, { number, ...state }) => this.#hear(peer, number, state));
  }

  /** Our chain has moved. */
  chainChanged({ head: { number, id, stateHash: hash } }: ChainUpdate): void {
    if (hash === undefined || number % STATE_HASH_EACH !== 0) return;
    // Where blocks became final and the head stands, peers have been told.
    if (this.#own.get(number)?.id === id && this.#own.get(number)?.hash === hash) return;
    remember(this.#own, number, { id, hash });
    for (const peer of this.#parts.live()) if (peer.takesWords) peer.send(stateHash, { number, id, hash });
    const said = this.#said.get(number);
    if (said !== undefined) this.#compare(number, said);
  }

  /** A new peer is told the newest. */
  joined(peer: Peer): void {
    const newest = [...this.#own].at(-1);
    if (newest !== undefined && peer.takesWords) peer.send(stateHash, { number: newest[0], ...newest[1] });
  }

  #hear(peer: Peer, number: number, state: KnownState): void {
    if (number === 0 || number % STATE_HASH_EACH !== 0) refuse.state_hash_off({ each: STATE_HASH_EACH, number });
    // Nobody else was asked.
    if (!this.#parts.isTrusted(peer)) return peer.offend('body_unasked', 'a state hash that nobody wants');
    remember(this.#said, number, { ...state, peer });
    this.#compare(number, { ...state, peer });
  }

  #compare(number: number, { peer, id, hash }: KnownState & { readonly peer: Peer }): void {
    const own = this.#own.get(number);
    // Another branch has another state.
    if (own === undefined || own.id !== id || own.hash === hash) return;
    this.#parts.differs(
      `the state behind block ${number} is ${own.hash} here, and ${hash} at the trusted node ${peer.id}: one of the two is wrong`,
    );
  }
}

function remember<Value>(values: Map<number, Value>, number: number, value: Value): void {
  values.delete(number);
  values.set(number, value);
  if (values.size <= MOST_REMEMBERED) return;
  for (const oldest of values.keys()) return void values.delete(oldest);
}
