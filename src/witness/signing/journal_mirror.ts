import type { Digest } from '../../values/hash.ts';
import type { PublicKey } from '../../values/public_key.ts';
import type { ForeignBlock, LockableSlots } from '../signing_journal.ts';
import { NotedSlots } from './noted_slots.ts';
import type { FromSigner, SignedSlot } from './signer_messages.ts';

/** The node's copy of the signer's journal, from which it recognizes its own blocks. */
export class JournalMirror extends NotedSlots implements LockableSlots {
  readonly #chain: Digest;
  readonly #tell: (foreign: ForeignBlock) => void;
  /** Locked by this node, and not known to be in the journal yet. */
  readonly #untold = new Map<PublicKey, ForeignBlock>();
  readonly #told = new Set<PublicKey>();
  isDamaged = false;

  /** `tell` has the signer lock a key; while it is gone that has no effect. */
  constructor(chain: Digest, tell: (foreign: ForeignBlock) => void) {
    super();
    this.#chain = chain;
    this.#tell = tell;
  }

  /** The signer is there, or there again. */
  take({ signed, locks, isDamaged }: Extract<FromSigner, { kind: 'opened' }>): void {
    this.isDamaged = isDamaged;
    for (const slot of signed) this.note(slot);
    this.takeLocks(locks);
  }

  /** Tells the signer the locks that it missed while it was gone. */
  tellUntold(): void {
    for (const foreign of this.#untold.values()) this.#tell(foreign);
  }

  note(slot: SignedSlot): void {
    this.noteSigned(this.#chain, slot);
  }

  /** All keys that are locked now: whatever else was, its operator has unlocked. */
  takeLocks(locks: readonly ForeignBlock[]): void {
    const keys = new Set(locks.map(({ key }) => key));
    for (const key of this.#told) if (!keys.has(key)) this.noteUnlocked(this.#chain, key);
    this.#told.clear();
    for (const foreign of locks) {
      this.noteLocked(foreign);
      this.#told.add(foreign.key);
      this.#untold.delete(foreign.key);
    }
  }

  lock(foreign: ForeignBlock): void {
    this.noteLocked(foreign);
    this.#told.delete(foreign.key);
    this.#untold.set(foreign.key, foreign);
    this.#tell(foreign);
  }
}
