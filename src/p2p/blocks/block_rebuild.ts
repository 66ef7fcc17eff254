import { catchRefusal } from '../../base/refusal.ts';
import { blockId, headerNumber, signedBlockHeader, type SignedBlockHeader } from '../../blocks/header.ts';
import { rootOfLeaves } from '../../blocks/merkle.ts';
import { packLeaves } from '../../blocks/packed_verified_transaction.ts';
import { readBlock } from '../../blocks/block.ts';
import { readTransaction, type PackedTransaction, type VerifiedTransaction } from '../../blocks/transaction.ts';
import { ByteReader, ByteWriter } from '../../codec/bytes.ts';
import type { BlockId } from '../../values/hash.ts';
import type { ArrivingTransactions, FreshTransaction } from '../transactions/arriving_transactions.ts';
import { shortIdKey, computeShortIds, ShortIdTable, wordsOfLeaves } from '../../wire/short_ids.ts';
import type { TransactionPool } from '../transactions/transaction_pool.ts';

/** Finds transactions of a block that this node has already. */
export interface KnownTransactions {
  readonly pool: TransactionPool;
  readonly arriving: ArrivingTransactions;
  /** The block follows another one than the head: it may have what blocks of the main branch have, too. */
  readonly isOffHead: boolean;
}

/** All of a block, and of each transaction what is known: its bytes are what the header's Merkle root says. */
export interface RebuiltBlock {
  readonly number: number;
  readonly id: BlockId;
  readonly header: SignedBlockHeader;
  readonly headerBytes: number;
  readonly packed: Uint8Array;
  readonly transactions: readonly (VerifiedTransaction | FreshTransaction)[];
  /** The short ids that it has. */
  readonly shortIds: Uint8Array;
}

/** A block that comes as short ids, put together from the transactions that are known and those that are asked for. */
export class BlockRebuild {
  readonly id: BlockId;
  readonly header: SignedBlockHeader;
  readonly shortIds: Uint8Array;
  /** The indexes of transactions that nothing known stands for, or too much. */
  readonly missing: readonly number[];
  readonly #transactions: (VerifiedTransaction | FreshTransaction | undefined)[];

  constructor(
    header: SignedBlockHeader,
    shortIds: Uint8Array,
    { pool, arriving, isOffHead }: KnownTransactions,
    roll: (below: number) => number,
  ) {
    this.id = blockId(header);
    this.header = header;
    this.shortIds = shortIds;
    const table = new ShortIdTable(shortIdKey(this.id), shortIds, roll);
    pool.match(table);
    const late = table.hasUnmatched ? arriving.match(table, pool.slots, (id) => pool.has(id)) : [];
    if (table.hasUnmatched && isOffHead) pool.matchIncluded(table);
    const missing: number[] = [];
    this.#transactions = [];
    for (const [index, slot] of table.matches.entries()) {
      const known = slot < 0 ? undefined : (pool.at(slot) ?? late[slot - pool.slots]);
      if (known === undefined) missing.push(index);
      this.#transactions.push(known);
    }
    this.missing = missing;
  }

  get count(): number {
    return this.#transactions.length;
  }

  /**
   * Adds the missing transactions and returns the block; undefined when they are not those of the header, or when one
   * is malformed. This node never relays such a block, because the next peer would ban it for that.
   */
  complete(fresh: readonly Uint8Array[]): RebuiltBlock | undefined {
    const transactions: (VerifiedTransaction | FreshTransaction)[] = [];
    let next = 0;
    for (const known of this.#transactions) {
      const transaction = known ?? freshTransaction(fresh[next++]);
      if (transaction === undefined) return undefined;
      transactions.push(transaction);
    }
    return rebuilt(this.header, transactions);
  }
}

/** The transaction in these bytes; undefined when they are not those that we would write for it. */
function freshTransaction(packed: Uint8Array | undefined): FreshTransaction | undefined {
  if (packed === undefined) return undefined;
  let read: PackedTransaction | undefined;
  catchRefusal(() => {
    read = readTransaction(new ByteReader(packed));
  });
  return read !== undefined && Buffer.compare(read.packed, packed) === 0
    ? { id: read.id, packed, leaf: read.leaf }
    : undefined;
}

/**
 * A whole block, in which what is known is found by its id; undefined when its transactions are not those of the
 * header. A Refusal when it is none.
 */
export function recognised(packed: Uint8Array, pool: TransactionPool): RebuiltBlock | undefined {
  const { header, transactions } = readBlock(packed);
  return rebuilt(
    header,
    transactions.map(({ id, leaf, packed: bytes }) => {
      const known = pool.get(id);
      return known?.leaf === leaf ? known : { id, packed: bytes, leaf };
    }),
  );
}

/** The block of a header and all its transactions; undefined when they are not those of the header. */
export function rebuilt(
  header: SignedBlockHeader,
  transactions: RebuiltBlock['transactions'],
): RebuiltBlock | undefined {
  const leaves = packLeaves(transactions);
  const words = wordsOfLeaves(leaves);
  if (rootOfLeaves(leaves) !== header.transaction_merkle_root) return undefined;
  const id = blockId(header);
  const shortIds = computeShortIds(shortIdKey(id), words);
  return { number: headerNumber(header), id, header, ...packRebuilt(header, transactions), transactions, shortIds };
}

const head = new ByteWriter(512);

function packRebuilt(
  header: SignedBlockHeader,
  transactions: RebuiltBlock['transactions'],
): Pick<RebuiltBlock, 'headerBytes' | 'packed'> {
  head.reset();
  signedBlockHeader.write(head, header);
  const headerBytes = head.length;
  head.varint(transactions.length);
  let bytes = head.length;
  for (const one of transactions) bytes += one.packed.length;
  const packed = new Uint8Array(bytes);
  packed.set(head.view());
  let at = head.length;
  for (const one of transactions) {
    packed.set(one.packed, at);
    at += one.packed.length;
  }
  return { headerBytes, packed };
}
