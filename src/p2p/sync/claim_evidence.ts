import type { BlockId } from '../../values/hash.ts';
import { addressGroup, isLoopback } from '../../wire/addresses.ts';
import type { ChainView } from '../environment/chain_access.ts';
import type { Claim } from './peer_claims.ts';
import type { Peer } from '../peers/peer.ts';
import type { Voices } from './voices.ts';

export interface ClaimEvidenceParts {
  readonly view: Pick<ChainView, 'head' | 'knows'>;
  readonly voices: Voices;
}

/** So long the claims of an id, or of an address group, may stand without evidence, all of them together. */
const UNPROVED_MS = 10_000;
/** Then they count for nothing for a while. */
const LAPSED_MS = 10 * 60_000;
/** A block below the head that is on its way needs no evidence. */
const LEAST_BLOCKS = 2;
const MOST_PENDING = 16;
const MOST_REMEMBERED = 2048;

/** The time for which claims of a peer stood unproved, and when the last of them did. */
interface Debt {
  ms: number;
  atMs: number;
  lapsedUntilMs: number;
  /** By how much the highest of them was above the head. */
  blocks: number;
}

/** A claim that was not proved yet, and what was charged for it. */
interface Unproved {
  readonly id: BlockId;
  chargedMs: number;
}

/**
 * Decides which claims of heads count. Peers that deliver old blocks are believed, and so are those whose claimed head
 * turns out to be a block. Others have a few seconds for all their claims together. A new id in the same address group,
 * or a withdrawn claim, gives no more time.
 */
export class ClaimEvidence {
  readonly #parts: ClaimEvidenceParts;
  readonly #debts = new Map<string, Debt>();
  readonly #unproved = new Map<Peer, Unproved[]>();
  readonly #deliveredMs = new Map<Peer, number>();
  #lookedMs: number | undefined;

  constructor(parts: ClaimEvidenceParts) {
    this.#parts = parts;
  }

  /** The peer has given a block while the head was old. */
  delivered(peer: Peer, nowMs: number): void {
    this.#deliveredMs.set(peer, nowMs);
    this.#forgive(peer, Infinity);
  }

  left(peer: Peer): void {
    this.#deliveredMs.delete(peer);
    this.#unproved.delete(peer);
  }

  /**
   * Charges the time since the last look. While blocks of the past arrive nobody is charged: not everybody is asked for
   * them.
   */
  look(claims: readonly Claim[], nowMs: number): void {
    const passedMs = nowMs - (this.#lookedMs ?? nowMs);
    this.#lookedMs = nowMs;
    const isCatchingUp = claims.some(({ peer }) => this.#hasDelivered(peer, nowMs));
    for (const claim of claims) this.#lookAt(claim, isCatchingUp ? 0 : passedMs, nowMs);
  }

  /**
   * Returns whether the claim says anything about this chain: by what its peer has delivered, or for the moment because
   * this node has chosen the peer.
   */
  isBelieved({ peer }: Claim, nowMs: number): boolean {
    if (this.#hasDelivered(peer, nowMs)) return true;
    return this.#parts.voices.of(peer) !== undefined && !this.isLapsed(peer, nowMs);
  }

  /** Returns whether nothing came of what the peer, or its address group, has claimed. */
  isLapsed(peer: Peer, nowMs: number): boolean {
    return peerNames(peer).some((name) => (this.#debts.get(name)?.lapsedUntilMs ?? 0) > nowMs);
  }

  /** Of peers whose own claims have lapsed: by how many blocks the highest of each was above the head. */
  unproved(claims: readonly Claim[], nowMs: number): number[] {
    return claims.flatMap(({ peer }) => {
      const debt = this.#debts.get(peer.id);
      return debt !== undefined && debt.lapsedUntilMs > nowMs ? [debt.blocks] : [];
    });
  }

  #hasDelivered(peer: Peer, nowMs: number): boolean {
    return nowMs - (this.#deliveredMs.get(peer) ?? -Infinity) <= UNPROVED_MS;
  }

  #isAbove({ number }: Claim): boolean {
    return number >= this.#parts.view.head.number + LEAST_BLOCKS;
  }

  #lookAt(claim: Claim, passedMs: number, nowMs: number): void {
    const { peer, id } = claim;
    const { view } = this.#parts;
    const pending = this.#unproved.get(peer) ?? [];
    for (const one of pending) if (view.knows(one.id)) this.#forgive(peer, one.chargedMs);
    const left = pending.filter((one) => !view.knows(one.id));
    if (this.#isAbove(claim) && !view.knows(id)) {
      const known = left.find((one) => one.id === id) ?? { id, chargedMs: 0 };
      if (!left.includes(known)) left.push(known);
      if (left.length > MOST_PENDING) left.shift();
      known.chargedMs += passedMs;
      this.#charge(claim, passedMs, nowMs);
    }
    this.#unproved.set(peer, left);
  }

  #charge({ peer, number }: Claim, ms: number, nowMs: number): void {
    for (const name of peerNames(peer)) {
      const before = this.#debts.get(name);
      const debt =
        before !== undefined && nowMs - before.atMs <= LAPSED_MS
          ? before
          : { ms: 0, atMs: nowMs, lapsedUntilMs: 0, blocks: 0 };
      debt.ms += ms;
      debt.blocks = Math.max(debt.blocks, number - this.#parts.view.head.number);
      debt.atMs = nowMs;
      if (debt.ms > UNPROVED_MS) debt.lapsedUntilMs = nowMs + LAPSED_MS;
      this.#debts.delete(name);
      this.#debts.set(name, debt);
      if (this.#debts.size > MOST_REMEMBERED) this.#forgetOldest();
    }
  }

  #forgive(peer: Peer, ms: number): void {
    for (const name of peerNames(peer)) {
      const debt = this.#debts.get(name);
      if (debt === undefined) continue;
      debt.ms = Math.max(0, debt.ms - ms);
      if (debt.ms <= UNPROVED_MS) debt.lapsedUntilMs = 0;
    }
  }

  #forgetOldest(): void {
    for (const oldest of this.#debts.keys()) return void this.#debts.delete(oldest);
  }
}

/** Its id and its address group; loopback is no group, because all of this machine's nodes share it. */
function peerNames({ id, pipe }: Peer): string[] {
  const { host } = pipe.address;
  return isLoopback(host) ? [id] : [id, addressGroup(host)];
}
