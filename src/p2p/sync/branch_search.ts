import { refusals } from '../../base/refusal.ts';
import { getBlockNumber, type BlockId } from '../../values/hash.ts';
import { UNSUITED_MS, type PeerClaims } from './peer_claims.ts';
import { ancestor } from '../../wire/messages/ancestor.ts';
import { ancestorRequest, MOST_ANCESTORS } from '../../wire/messages/ancestor_request.ts';
import type { Environment } from '../environment/environment.ts';
import type { Peer } from '../peers/peer.ts';

const refuse = refusals({ ancestor_not_asked: 'block {number} is no common block that was asked for' });

export interface BranchSearchParts {
  readonly environment: Environment;
  readonly claims: PeerClaims;
  /** The branches part at that block. */
  readonly found: (peer: Peer, tip: { readonly number: number; readonly id: BlockId }) => void;
  /** The peer has another block in the place of one that is final here. */
  readonly conflicts: (peer: Peer, number: number) => void;
}

const ANSWER_MS = 2000;
/** An honest peer hears of a certificate with the next slot. */
const UNHEARD_MS = 3000;

/** Finds where a peer's branch leaves ours, of one peer at a time. */
export class BranchSearch {
  readonly #parts: BranchSearchParts;
  #open: { readonly peer: Peer; readonly ids: readonly BlockId[]; readonly atMs: number } | undefined;

  constructor(parts: BranchSearchParts) {
    this.#parts = parts;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  begin(peer: Peer): void {
    const ids = this.#ownIds();
    this.#open = { peer, ids, atMs: this.#nowMs };
    peer.ask(ancestorRequest, { ids }, ancestor);
  }

  tick(): void {
    const { peer, atMs = Infinity } = this.#open ?? {};
    if (peer === undefined || this.#nowMs - atMs <= ANSWER_MS) return;
    this.#open = undefined;
    peer.offend('timeout', 'no answer where our branches part');
    this.#parts.claims.failed(peer, this.#nowMs);
  }

  left(peer: Peer): void {
    if (this.#open?.peer === peer) this.#open = undefined;
  }

  take(peer: Peer, number: number): void {
    const { environment, claims, found, conflicts } = this.#parts;
    const search = this.#open;
    if (search?.peer !== peer) return;
    this.#open = undefined;
    const id = search.ids.find((one) => getBlockNumber(one) === number);
    if (id === undefined && number !== 0) return void refuse.ancestor_not_asked({ number });
    const { irreversible } = environment.view.head;
    const claim = claims.of(peer);
    if (claim === undefined) return;
    if (number === 0 && irreversible > 0) {
      // It has another block in the place of one that is final here, or is so young that it has none.
      const isOther = claim.number >= irreversible;
      // Where certificates make blocks final, it has not heard of that block's yet.
      if (isOther && environment.view.finality !== undefined) return claims.rest(peer, this.#nowMs + UNHEARD_MS);
      if (isOther) conflicts(peer, irreversible);
      return claims.rest(peer, this.#nowMs + UNSUITED_MS);
    }
    const start = id === undefined ? environment.view.blockId(0) : id;
    if (start !== undefined) found(peer, { number, id: start });
  }

  /** Ids at the head and 1, 2, 4 … below, down to the last irreversible block: below that nothing is ever undone. */
  #ownIds(): BlockId[] {
    const { view } = this.#parts.environment;
    const { number, irreversible } = view.head;
    const numbers = [number];
    for (let step = 1; number - step > irreversible && numbers.length < MOST_ANCESTORS - 1; step *= 2)
      numbers.push(number - step);
    if (irreversible < number) numbers.push(irreversible);
    return numbers.filter((one) => one > 0).flatMap((one) => view.blockId(one) ?? []);
  }

  get #nowMs(): number {
    return this.#parts.environment.clock.elapsedMs();
  }
}
