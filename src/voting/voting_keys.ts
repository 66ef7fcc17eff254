import { headerDigest } from '../blocks/header.ts';
import type { PackedBlock } from '../blocks/block.ts';
import type { VotingRecord } from '../blocks/finality/voting_record.ts';
import type { Epoch } from '../blocks/finality/voting_rule.ts';
import type { OwnVoter } from '../chain/finality/own_voters.ts';
import type { Digest } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';
import { slotNumber } from '../values/time.ts';
import type { SignedSlots } from '../witness/signing_journal.ts';
import type { VotingSigner } from '../witness/voting_signer.ts';

/** The voting keys of a node, its journals and its chain. */
export interface VotingKeysParts {
  readonly chainId: Digest;
  readonly intervalSeconds: number;
  readonly chain: { readonly head: { readonly number: number }; block(number: number): PackedBlock | undefined };
  readonly signer: VotingSigner | undefined;
  readonly keys: ReadonlySet<PublicKey>;
  /** The keys with which this node's witnesses sign blocks now. */
  readonly signingKeys: () => ReadonlySet<PublicKey>;
  /** The record of the keys' signatures besides votes. */
  readonly journal: SignedSlots | undefined;
  /** True if the node has anybody whose clock it could ask. */
  readonly hasPeers: boolean;
}

/** As for blocks after a pause: a wrong clock would make a lost journal look whole. */
const CLOCK_AGREES_MS = 2000;
/** The slots by which a journal must be older than its epoch to count as whole, and one more. */
const WHOLE_SLOTS = 11;

/** The keys with which a node may vote, and the beginnings of their journals. */
export class VotingKeys {
  readonly #parts: VotingKeysParts;
  /** Of these it is settled whether the journal is as old as the chain. */
  readonly #settled = new Set<PublicKey>();
  /** The beginnings that the machine knows. */
  readonly #told = new Map<PublicKey, VotingRecord>();
  /** The keys that have signed nothing before this process, which has started on a chain without blocks. */
  readonly #unused: Set<PublicKey>;
  #isClockUnconfirmed = false;

  constructor(parts: VotingKeysParts) {
    this.#parts = parts;
    const { chain, chainId, journal, keys } = parts;
    const isUnused = (key: PublicKey): boolean => journal !== undefined && journal.lastSlot(chainId, key) === undefined;
    this.#unused = new Set(chain.head.number === 0 ? [...keys].filter(isUnused) : []);
  }

  /** The keys whose journals have begun. */
  begun(): OwnVoter[] {
    return [...this.#parts.keys].flatMap((key) => {
      const record = this.#begunRecord(key);
      return record === undefined ? [] : [this.#tell(key, record)];
    });
  }

  /** Ends the journals of keys with which somebody else signs, and answers these keys: they begin anew when unlocked. */
  endLocked(): readonly PublicKey[] {
    const { signer, keys } = this.#parts;
    const locked = [...keys].filter((key) => this.#isLocked(key));
    for (const key of locked) {
      this.#unused.delete(key);
      this.#told.delete(key);
      if (signer?.votingRecord(key) !== undefined) signer.end(key);
    }
    return locked;
  }

  /**
   * Begins journals that have not begun, once peers confirm the clock, and settles which are as old as the chain.
   * Answers those that changed, also because a signer process has answered since the last call.
   */
  begin(slot: number, peersAheadMs: number | undefined): OwnVoter[] {
    const { signer, keys } = this.#parts;
    this.#isClockUnconfirmed = !this.#isClockConfirmed(peersAheadMs);
    return [...keys].flatMap((key) => {
      if (this.#isLocked(key)) return [];
      const record = signer?.votingRecord(key);
      if (record === undefined) return this.#begin(key, slot);
      if (this.#hasSignedFirstBlock(key, record)) return this.#moved(key, record.begun, true);
      return isSameBeginning(record, this.#told.get(key)) ? [] : [this.#tell(key, record)];
    });
  }

  /** The reason why a key can't vote: its journal of votes has not begun. */
  get waitsFor(): 'clock' | 'signer' | undefined {
    const { signer, keys } = this.#parts;
    const isWaiting = (key: PublicKey): boolean => signer?.votingRecord(key) === undefined && !this.#isLocked(key);
    if (signer === undefined || ![...keys].some(isWaiting)) return undefined;
    return this.#isClockUnconfirmed ? 'clock' : 'signer';
  }

  /** True when a key votes that is no longer used for blocks: it was replaced on the chain. */
  isReplaced(key: PublicKey): boolean {
    return this.#parts.keys.has(key) && !this.#parts.signingKeys().has(key);
  }

  /** Voters with whose keys this machine has voted, and whose secrets it has no longer. */
  lacking({ voters }: Epoch): PublicKey[] {
    const { signer, keys } = this.#parts;
    return voters.keys.filter((key) => !keys.has(key) && signer?.votingRecord(key) !== undefined);
  }

  /** By the word of the operator all journals hold the votes of this epoch. */
  declareWhole({ voters, startSlot }: Epoch): OwnVoter[] {
    return [...this.#parts.keys].flatMap((key) => {
      const record = voters.keys.includes(key) ? this.#begunRecord(key) : undefined;
      if (record === undefined) return [];
      return voters.epoch === 0
        ? this.#moved(key, record.begun, true)
        : this.#moved(key, Math.max(0, startSlot - WHOLE_SLOTS), false);
    });
  }

  /** A chain of which this process has made block 1 has no older votes, whatever the clock says. */
  #begin(key: PublicKey, slot: number): OwnVoter[] {
    const first = this.#unused.has(key) ? this.#signedFirstSlot(key) : undefined;
    if (first !== undefined) return this.#moved(key, first, true);
    return this.#isClockUnconfirmed ? [] : this.#moved(key, slot, false);
  }

  #begunRecord(key: PublicKey): VotingRecord | undefined {
    return this.#isLocked(key) ? undefined : this.#parts.signer?.votingRecord(key);
  }

  /** Says whether somebody else was seen to sign with the key, and its operator has not unlocked it. */
  #isLocked(key: PublicKey): boolean {
    const { chainId, journal } = this.#parts;
    return journal?.foreignLock(chainId, key) !== undefined;
  }

  #moved(key: PublicKey, begun: number, signedFirstBlock: boolean): OwnVoter[] {
    const { signer } = this.#parts;
    signer?.begin(key, begun, signedFirstBlock);
    const record = signer?.votingRecord(key);
    return record === undefined ? [] : [this.#tell(key, record)];
  }

  #tell(key: PublicKey, record: VotingRecord): OwnVoter {
    this.#told.set(key, record);
    return { key, record };
  }

  /**
   * A folder without blocks is no reason to believe the clock: journal and folder may be lost together, and the network
   * may hold votes of the key.
   */
  #isClockConfirmed(peersAheadMs: number | undefined): boolean {
    if (!this.#parts.hasPeers) return true;
    return peersAheadMs !== undefined && Math.abs(peersAheadMs) <= CLOCK_AGREES_MS;
  }

  /**
   * Returns whether the key has signed block 1 while its journal of votes existed: then no vote can be missing. Asked
   * once for each key.
   */
  #hasSignedFirstBlock(key: PublicKey, { begun, signed_first_block }: VotingRecord): boolean {
    if (this.#settled.has(key) || this.#parts.chain.head.number === 0) return false;
    this.#settled.add(key);
    const slot = signed_first_block ? undefined : this.#signedFirstSlot(key);
    return slot !== undefined && slot >= begun;
  }

  /** Returns the slot of block 1 where the signing journal holds the key's signature of it. */
  #signedFirstSlot(key: PublicKey): number | undefined {
    const { chain, chainId, journal, intervalSeconds } = this.#parts;
    const first = chain.head.number === 0 ? undefined : chain.block(1);
    if (first === undefined || journal === undefined) return undefined;
    const slot = slotNumber(first.header.timestamp, intervalSeconds);
    const digest = Buffer.from(headerDigest(first.header)).toString('hex');
    return journal.signedDigest(chainId, key, slot) === digest ? slot : undefined;
  }
}

function isSameBeginning({ begun, signed_first_block }: VotingRecord, told: VotingRecord | undefined): boolean {
  return begun === told?.begun && signed_first_block === told.signed_first_block;
}
