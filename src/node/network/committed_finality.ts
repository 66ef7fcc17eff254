import type { Checkpoint } from '../../values/checkpoint.ts';
import type { EndedEpoch } from '../../blocks/finality/ended_epoch.ts';
import { nextEpoch } from '../../blocks/finality/epochs.ts';
import type { Voters } from '../../blocks/finality/voters.ts';
import { BoundaryCertificates } from '../../chain/ledger/boundary_certificates.ts';
import { FinalityRecords } from '../../chain/ledger/finality_records.ts';
import type { FinalityView } from '../../p2p/environment/chain_access.ts';
import type { FinalitySource } from '../../queries/finality/finality_source.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import type { KeyValueReader } from '../../storage/key_value.ts';
import { getBlockNumber, type BlockId, type Digest } from '../../values/hash.ts';

/** Peers and clients name epochs as they like; a list of voters takes some 7 KiB. */
const MOST_VOTERS = 256;

export interface CommittedFinalityParts {
  readonly parameters: ChainParameters;
  readonly store: KeyValueReader;
  /** Changes with each block, and when blocks become final. */
  readonly version: () => number;
  /** The last block that this node can't replace: final, imported or of a snapshot. */
  readonly settled: () => number;
}

/** The finality of the chain as other threads than the writer see it: what is committed, read from the store. */
export class CommittedFinality implements FinalityView, FinalitySource {
  readonly #parts: CommittedFinalityParts;
  readonly #records: FinalityRecords;
  readonly #boundaries: BoundaryCertificates;
  /** Voters are asked for with each message, and change with a block at the earliest. */
  readonly #voters = new Map<number, Voters | undefined>();
  #version = -1;

  constructor(parts: CommittedFinalityParts) {
    this.#parts = parts;
    const { parameters, store } = parts;
    this.#records = new FinalityRecords(store, parameters);
    this.#boundaries = new BoundaryCertificates(store, parameters, 0);
  }

  get epoch(): number {
    return nextEpoch(this.#parts.settled(), this.#parts.parameters.genesis.max_witnesses);
  }

  votersOf(epoch: number): Voters | undefined {
    const version = this.#parts.version();
    if (version !== this.#version || this.#voters.size >= MOST_VOTERS) this.#voters.clear();
    this.#version = version;
    if (!this.#voters.has(epoch)) this.#voters.set(epoch, this.#records.votersOf(epoch));
    return this.#voters.get(epoch);
  }

  boundaryFrom(epoch: number): EndedEpoch | undefined {
    return this.#boundaries.endedEpochs(epoch, 1)[0];
  }

  /** The id of the last block of a round, which stays with the voters that it names. */
  boundaryId(number: number): BlockId | undefined {
    return this.#records.begunAt(number)?.after;
  }

  checkpointOf(epoch: number): Checkpoint | undefined {
    const voters = this.votersOf(epoch);
    const begun = this.#records.begunAt(epoch * this.#parts.parameters.genesis.max_witnesses);
    return (
      begun &&
      voters && { number: getBlockNumber(begun.after), id: begun.after, voters: voters.digest, time: begun.after_time }
    );
  }

  rangeNode(height: number, index: number): Digest {
    return this.#records.rangeNode(height, index);
  }
}
