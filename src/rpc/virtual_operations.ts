import type { OperationKind } from '../operations/operation.ts';
import type { HistoryEntry } from '../queries/history_entry.ts';
import { requireKept } from '../queries/pruned.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import { AfterList, Chunks } from './chunks.ts';
import { placeText } from './cursor.ts';
import type { OperationPage } from './operation_pages.ts';
import { FIRST_PLACE, OperationWalk, type OperationPlace } from './operation_walk.ts';
import type { Call } from './services.ts';

/** The place of an operation on the chain. */
export interface ChainPlace extends OperationPlace {
  readonly block: number;
}

/** The same as a text: the block, then the place in it. */
export const placeOnChain = placeText<ChainPlace>(
  /^([0-9]{1,10}) ([0-9]{1,10}) ([0-9]{1,5}) ([0-9]{1,10})$/,
  ({ block, trx_in_block, op_in_trx, virtual_op }) => `${block} ${trx_in_block} ${op_in_trx} ${virtual_op}`,
  ([block = '0', transaction = '0', operation = '0', virtual = '0']) => ({
    block: Number(block),
    trx_in_block: Number(transaction),
    op_in_trx: Number(operation),
    virtual_op: Number(virtual),
  }),
);

/** The search; the members are those of the method. */
interface VirtualSearch {
  readonly block_range_begin: number;
  readonly block_range_end: number;
  /** All kinds by default. */
  readonly filter?: readonly OperationKind[] | undefined;
  readonly limit: number;
  readonly cursor: ChainPlace | null;
}

/**
 * Parts of blocks that one call reads. An index of virtual operations would cost every node disk space, for a method
 * that few programs call.
 */
export const MOST_PARTS = 2000;
/** Read at once: less than a millisecond. */
const PARTS_AT_ONCE = 16;

/** Virtual operations of the blocks from `block_range_begin` to before `block_range_end`. */
export function virtualOperations(call: Pick<Call, 'rows'>, search: VirtualSearch): OperationPage<ChainPlace> {
  const walk = new VirtualWalk(call, search);
  const entries = new Chunks(() => {
    if (walk.isOver()) return undefined;
    const found: HistoryEntry[] = [];
    for (let k = 0; k < PARTS_AT_ONCE && !walk.isOver(); k++) found.push(...walk.take());
    return found;
  });
  return { entries, cursor: new AfterList(() => walk.next) };
}

/** Walks from block to block, a part at a time. */
class VirtualWalk {
  readonly #call: Pick<Call, 'rows'>;
  readonly #end: number;
  readonly #kinds: ReadonlySet<OperationKind> | undefined;
  #left: number;
  #parts = MOST_PARTS;
  #block = 0;
  /** In that block; undefined at the end of the range, and where the chain has no such block yet. */
  #walk: OperationWalk | undefined;

  constructor(
    call: Pick<Call, 'rows'>,
    { block_range_begin: begin, block_range_end: end, filter, limit, cursor }: VirtualSearch,
  ) {
    this.#call = call;
    this.#end = end;
    this.#kinds = filter && new Set(filter);
    this.#left = limit;
    const from = cursor ?? { ...FIRST_PLACE, block: begin };
    requireKept(call.rows, from.block);
    this.#enter(from.block, from);
  }

  isOver(): boolean {
    return this.#walk === undefined || this.#left <= 0 || this.#parts <= 0;
  }

  take(): readonly HistoryEntry[] {
    const entries = this.#walk?.take(this.#left, Infinity)?.entries ?? [];
    this.#parts--;
    this.#left -= entries.length;
    if (this.#walk?.next === undefined) this.#enter(this.#block + 1, FIRST_PLACE);
    return entries;
  }

  /**
   * The place at which a later walk goes on: blocks of the range that the chain does not have yet are part of it. Null
   * behind the range.
   */
  get next(): ChainPlace | null {
    return this.#block < this.#end ? { ...operationPlace(this.#walk?.next ?? FIRST_PLACE), block: this.#block } : null;
  }

  #enter(block: number, from: OperationPlace): void {
    const { rows } = this.#call;
    const kinds = this.#kinds;
    const isWanted = kinds && (({ op }: HistoryEntry): boolean => kinds.has(op.kind));
    this.#block = block;
    this.#walk = rows.consistentRead(() =>
      block < this.#end && block <= rows.only(dynamicGlobalProperties).head_block_number
        ? new OperationWalk(this.#call, block, { onlyVirtual: true, from, isWanted })
        : undefined,
    );
  }
}

function operationPlace({ trx_in_block, op_in_trx, virtual_op }: OperationPlace): OperationPlace {
  return { trx_in_block, op_in_trx, virtual_op };
}
