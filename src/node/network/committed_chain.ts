import type { CommittedState } from '../../queries/committed_state.ts';
import { sideBlockKey, HEAD_COLUMN } from '../../state/head_record.ts';
import { sha256Hex } from '../../crypto/hashes.ts';
import type { BlockParts, ChainPosition, ChainView } from '../../p2p/environment/chain_access.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { lastIrreversible, lastSettled } from '../../state/last_irreversible.ts';
import { blockPartCount, blockRow, oldestBlock, storedBlockPart } from '../../state/stored_blocks.ts';
import { getBlockId, RECENT_BLOCKS } from '../../state/block_ids.ts';
import { dynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';
import { CommittedFinality } from './committed_finality.ts';
import type { KeyValueReader } from '../../storage/key_value.ts';

import { getBlockNumber, ZERO_HASH160, type BlockId, type Digest } from '../../values/hash.ts';

/** The store and the parameters of a `CommittedChain`. */
export interface CommittedChainParts {
  readonly parameters: ChainParameters;
  readonly rows: CommittedState;
  /** The store behind the rows, which also has the blocks of other branches. */
  readonly store: KeyValueReader;
  readonly ownsTime: boolean;
}

/** The chain as the network's thread sees it: what is committed, read from the store without asking anybody. */
export class CommittedChain implements ChainView {
  readonly chainId: Digest;
  readonly profile: Digest;
  readonly slots: ChainView['slots'];
  readonly #rows: CommittedState;
  readonly #store: KeyValueReader;
  readonly #finality: CommittedFinality | undefined;
  /** The network asks for each message; the head changes with each block. */
  #read: { readonly version: number; readonly head: ChainPosition } | undefined;

  constructor({ parameters, rows, store, ownsTime }: CommittedChainParts) {
    this.chainId = parameters.chainId;
    this.profile = profileHash(parameters);
    this.slots = ownsTime
      ? undefined
      : { genesisTime: parameters.genesis.genesis_time, intervalSeconds: parameters.blockIntervalSeconds };
    this.#rows = rows;
    this.#store = store;
    const version = (): number => rows.version();
    const settled = (): number => lastSettled(rows);
    this.#finality = parameters.hasFinality
      ? new CommittedFinality({ parameters, store, version, settled })
      : undefined;
  }

  get finality(): ChainView['finality'] {
    return this.#finality;
  }

  get head(): ChainPosition {
    const version = this.#rows.version();
    if (this.#read?.version !== version) this.#read = { version, head: this.#readHead() };
    return this.#read.head;
  }

  /** Of that version or a later one: what is read later is no older. */
  #readHead(): ChainPosition {
    return this.#rows.consistentRead(() => {
      const { head_block_number: number, head_block_id: id, time } = this.#rows.only(dynamicGlobalProperties);
      return { number, id, time, irreversible: lastIrreversible(this.#rows) };
    });
  }

  get oldestBlock(): number {
    return oldestBlock(this.#rows);
  }

  blockId(number: number): BlockId | undefined {
    if (number === 0) return ZERO_HASH160;
    return this.#rows.consistentRead(() => {
      const head = this.head.number;
      if (number > head) return undefined;
      if (number + RECENT_BLOCKS > head) return getBlockId(this.#rows, number);
      // A finality-checkpoint may have made a block final whose row is gone, and peers are told its id.
      return blockRow(this.#rows, number)?.id ?? this.#finality?.boundaryId(number);
    });
  }

  readParts(number: number): BlockParts | undefined {
    const rows = this.#rows;
    const row = rows.consistentRead(() => (number > this.head.number ? undefined : blockRow(rows, number)));
    if (row === undefined) return undefined;
    const { id } = row;
    return {
      count: blockPartCount(row),
      part: (index) =>
        index === 0
          ? storedBlockPart(rows, row, 0)
          : rows.consistentRead(() => (this.blockId(number) === id ? storedBlockPart(rows, row, index) : undefined)),
    };
  }

  knows(id: BlockId): boolean {
    return this.blockId(getBlockNumber(id)) === id || this.#store.get(HEAD_COLUMN, sideBlockKey(id)) !== undefined;
  }
}

/** Two nodes are of one chain only when the symbols of their profiles are the same, too. */
function profileHash({ profile }: ChainParameters): Digest {
  return sha256Hex(Buffer.from(JSON.stringify(profile)));
}
