import { describeInteger, integerFromJson, u32 } from '../codec/primitives.ts';
import type { Codec } from '../codec/codec.ts';
import type { HistoryEntry } from '../queries/history_entry.ts';
import { LARGEST_HISTORY_PAGE } from '../queries/paging.ts';
import { requireBlockHasCome } from './block_chunks.ts';
import { AfterList, Chunks } from './chunks.ts';
import { placeText } from './cursor.ts';
import { FIRST_PLACE, OperationWalk, type OperationPlace } from './operation_walk.ts';
import type { Call } from './services.ts';

/**
 * Packed bytes of transactions behind which a page with a limit ends. An answer has at most 10 MiB; as JSON a byte
 * takes six characters at most, and what stands around an operation is counted by the limit.
 */
const PAGE_BYTES = 1024 * 1024;

/** The most operations of a page. */
export const operationLimit: Codec<number, number> = {
  ...u32,
  fromJson: (json) => Number(integerFromJson(json, 1n, BigInt(LARGEST_HISTORY_PAGE))),
  describe: (encoding) => describeInteger(1n, BigInt(LARGEST_HISTORY_PAGE), encoding),
};

/** Explains pages in the doc of a method. */
export const pagesDoc =
  'With `limit` a page of at most that many, and of about 1 MiB of packed transactions, so that a block of any size can be read: `cursor` goes on.';

/** The place of an operation in a block as a text: transaction, operation, virtual operation. */
export const placeInBlock = placeText<OperationPlace>(
  /^([0-9]{1,10}) ([0-9]{1,5}) ([0-9]{1,10})$/,
  ({ trx_in_block, op_in_trx, virtual_op }) => `${trx_in_block} ${op_in_trx} ${virtual_op}`,
  ([trx = '0', op = '0', virtual = '0']) => ({
    trx_in_block: Number(trx),
    op_in_trx: Number(op),
    virtual_op: Number(virtual),
  }),
);

/** Operations in their order, and where the next page begins; null on the last page. */
export interface OperationPage<Place> {
  readonly entries: Chunks<HistoryEntry>;
  readonly cursor: AfterList<Place | null>;
}

interface BlockPage {
  readonly block_num: number;
  readonly only_virtual: boolean;
  readonly limit: number | null;
  readonly cursor: OperationPlace | null;
}

/** Operations of a block: all from the cursor on, or with a limit a page of bounded size. */
export function operationsOfBlock(
  call: Pick<Call, 'rows' | 'encoding'>,
  { block_num, only_virtual, limit, cursor }: BlockPage,
): OperationPage<OperationPlace> {
  requireBlockHasCome(call, block_num);
  const walk = new OperationWalk(call, block_num, { onlyVirtual: only_virtual, from: cursor ?? FIRST_PLACE });
  let [left, room] = limit === null ? [Infinity, Infinity] : [limit, PAGE_BYTES];
  const entries = new Chunks(() => {
    const taken = left > 0 && room > 0 ? walk.take(left, room) : undefined;
    left -= taken?.entries.length ?? 0;
    room -= taken?.bytes ?? 0;
    return taken?.entries;
  });
  return { entries, cursor: new AfterList(() => walk.next ?? null) };
}
