import type { Digest } from '../../values/hash.ts';
import type { PublicKey } from '../../values/public_key.ts';
import type { ForeignBlock } from '../signing_journal.ts';

/**
 * Digests that are remembered to know one's own blocks again: a month's of one witness, and more than can still be
 * undone.
 */
const KEPT_DIGESTS = 16_384;

/** A signing journal in memory: the last slot of each key, the signatures of the newest slots, and the locked keys. */
export class NotedSlots {
  readonly #last = new Map<string, number>();
  readonly #digests = new Map<string, Digest>();
  readonly #locks = new Map<string, ForeignBlock>();

  noteSigned(
    chain: Digest,
    { key, slot, digest }: { readonly key: PublicKey; readonly slot: number; readonly digest: Digest },
  ): void {
    const of = `${chain} ${key}`;
    this.#last.set(of, Math.max(slot, this.#last.get(of) ?? 0));
    this.#digests.set(`${of} ${slot}`, digest);
    if (this.#digests.size <= KEPT_DIGESTS) return;
    for (const oldest of this.#digests.keys()) return void this.#digests.delete(oldest);
  }

  noteLocked(foreign: ForeignBlock): void {
    this.#locks.set(`${foreign.chain} ${foreign.key}`, foreign);
  }

  noteUnlocked(chain: Digest, key: PublicKey): void {
    this.#locks.delete(`${chain} ${key}`);
  }

  lastSlot(chain: Digest, key: PublicKey): number | undefined {
    return this.#last.get(`${chain} ${key}`);
  }

  signedDigest(chain: Digest, key: PublicKey, slot: number): Digest | undefined {
    return this.#digests.get(`${chain} ${key} ${slot}`);
  }

  foreignLock(chain: Digest, key: PublicKey): ForeignBlock | undefined {
    return this.#locks.get(`${chain} ${key}`);
  }

  /** Returns the remembered slots of a chain, oldest first. */
  signedSlots(chain: Digest): { readonly key: PublicKey; readonly slot: number; readonly digest: Digest }[] {
    return [...this.#digests].flatMap(([of, digest]) => {
      const [its, key = '', slot = ''] = of.split(' ');
      return its === chain ? [{ key, slot: Number(slot), digest }] : [];
    });
  }
}
