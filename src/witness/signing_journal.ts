import { refusals } from '../base/refusal.ts';
import { blockId, type BlockHeader } from '../blocks/header.ts';
import type { BlockId, Digest, Signature } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';
import { timeText, type Seconds } from '../values/time.ts';

const refuse = refusals({
  slot_already_signed:
    'a block of the slot of {time} or a later one, {last}, was signed with this key already, and a second one would part the network; the signing journal says so',
});

/** What was signed: enough to tell a block of one's own from a foreign one with the same key. */
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

/** Remembers what was signed, whatever becomes of the chain's own data. */
export interface SigningJournal {
  /** The newest slot that was signed with a key. */
  lastSlot(chain: Digest, key: PublicKey): number | undefined;
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

/** Refuses a slot in which, or behind which, the key has signed a block. */
function requireUnsigned(journal: SigningJournal, { chain, key, timestamp, intervalSeconds }: SlotToSign): void {
  const last = journal.lastSlot(chain, key);
  if (last === undefined || last < slotOf(timestamp, intervalSeconds)) return;
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
    slot: slotOf(slot.timestamp, slot.intervalSeconds),
    digest: Buffer.from(digest).toString('hex'),
    id: blockId({ ...header, witness_signature }),
    previous: header.previous,
  });
  return witness_signature;
}

function slotOf(timestamp: Seconds, intervalSeconds: number): number {
  return Math.trunc(timestamp / intervalSeconds);
}
