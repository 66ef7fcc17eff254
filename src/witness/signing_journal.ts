import { refusals } from '../base/refusal.ts';
import { blockId, type BlockHeader } from '../blocks/header.ts';
import type { BlockId, Digest, Signature } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';
import { slotNumber, timeText, type Seconds } from '../values/time.ts';

const refuse = refusals({
  slot_already_signed:
    'a block of the slot of {time} or a later one, {last}, was signed with this key already, and a second one would part the network; the signing journal says so',
  key_locked:
    'the signing journal has locked this key: somebody else has signed the slot of {time} with it; give the witness a new key, or clear it with pharos witness unlock',
});

/** A signed slot: enough to tell a block of one's own from a foreign one with the same key. */
export interface SigningRecord {
  readonly chain: Digest;
  readonly key: PublicKey;
  /** The number of the slot, counted from 1970 on: a time stamp may lie anywhere in its slot. */
  readonly slot: number;
  /** Of the header without signature. */
  readonly digest: Digest;
  readonly id: BlockId;
  readonly previous: BlockId;
}

/** A block that somebody else has signed with a key of ours. */
export type ForeignBlock = Omit<SigningRecord, 'previous'>;

/** The known signatures. */
export interface SignedSlots {
  /** The newest slot that was signed with a key. */
  lastSlot(chain: Digest, key: PublicKey): number | undefined;
  /** The digest of what was signed for a slot; undefined when nothing was, or when it is too long ago. */
  signedDigest(chain: Digest, key: PublicKey, slot: number): Digest | undefined;
  /** The foreign block that has locked a key. */
  foreignLock(chain: Digest, key: PublicKey): ForeignBlock | undefined;
  /** True when a part of the signatures may be missing. */
  readonly isDamaged: boolean;
}

/** The known signatures, with keys that can be locked. */
export interface LockableSlots extends SignedSlots {
  /** Locks a key until its operator unlocks it. */
  lock(foreign: ForeignBlock): void;
}

/** Remembers what was signed, whatever becomes of the chain's own data. */
export interface SigningJournal extends LockableSlots {
  /** On the disk when it returns. */
  record(record: SigningRecord): void;
  close(): void;
}

export interface SlotToSign {
  readonly chain: Digest;
  readonly key: PublicKey;
  readonly timestamp: Seconds;
  readonly intervalSeconds: number;
}

/** Refuses a slot in which, or behind which, the key has signed a block, and a key that somebody else has. */
function requireUnsigned(journal: SigningJournal, { chain, key, timestamp, intervalSeconds }: SlotToSign): void {
  const foreign = journal.foreignLock(chain, key);
  if (foreign !== undefined) refuse.key_locked({ time: timeText(foreign.slot * intervalSeconds) });
  const last = journal.lastSlot(chain, key);
  if (last === undefined || last < slotNumber(timestamp, intervalSeconds)) return;
  refuse.slot_already_signed({ time: timeText(timestamp), last: timeText(last * intervalSeconds) });
}

/** Signs a header once, and has written that down before anybody gets the signature. */
export function signRecorded(
  journal: SigningJournal,
  slot: SlotToSign,
  header: BlockHeader,
  digest: Uint8Array,
  sign: (digest: Uint8Array) => Signature,
): Signature {
  requireUnsigned(journal, slot);
  const witness_signature = sign(digest);
  journal.record({
    chain: slot.chain,
    key: slot.key,
    slot: slotNumber(slot.timestamp, slot.intervalSeconds),
    digest: Buffer.from(digest).toString('hex'),
    id: blockId({ ...header, witness_signature }),
    previous: header.previous,
  });
  return witness_signature;
}
