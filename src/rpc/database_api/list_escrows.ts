import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { refusals } from '../../base/refusal.ts';
import type { Codec } from '../../codec/codec.ts';
import { describeTuple } from '../../codec/collections.ts';
import { bool, u32, u64 } from '../../codec/primitives.ts';
import { escrowRecord, makeEscrowRecord } from '../../queries/records/escrow.ts';
import { escrows } from '../../state/tables/escrow.ts';
import { accountName } from '../../values/account_name.ts';
import { time } from '../../values/time.ts';
import { along, byPair, bySingle, listParams, listRefusals, page } from './listing.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { shownJson } from '../../codec/decode_error.ts';

const refuse = refusals({
  deadline_start: {
    text: 'start of by_ratification_deadline is [approved, deadline, id], such as [false, "2026-01-31T12:00:00", 0], got {given}',
    lineage: 'by_ratification_deadline start requires 3 values. (bool, time_point_sec, escrow_id_type)',
  },
});

/** True if both have approved, the deadline, and the id of the escrow. */
const deadlineStart: Pick<Codec<{ approved: boolean; at: number; id: bigint }>, 'fromJson' | 'initial' | 'describe'> = {
  fromJson(json, encoding) {
    if (!Array.isArray(json) || json.length !== 3) return refuse.deadline_start({ given: shownJson(json) });
    const [approved = null, at = null, id = null] = json;
    return {
      approved: bool.fromJson(approved, encoding),
      at: time.fromJson(at, encoding),
      id: u64.fromJson(id, encoding),
    };
  },
  initial: () => ({ approved: false, at: 0, id: 0n }),
  describe: (encoding) => describeTuple(...[bool, time, u64].map((value) => value.describe(encoding))),
};

/** The orders of the list. */
const ways = {
  by_from_id: byPair([accountName, u32], '[from, escrow_id]', along(escrows.by_from_id), (pair) => pair),
  by_ratification_deadline: bySingle(
    deadlineStart,
    along(escrows.by_ratification_deadline),
    ({ approved, at, id }): [boolean, number, bigint] => [approved, at, id],
  ),
};

/** All escrows. */
export const listEscrows = method({
  name: 'database_api.list_escrows',
  doc: 'All escrows. Page by page, the element at `start` included.',
  params: listParams(ways),
  result: Type.Object({ escrows: Type.Array(coded(escrowRecord)) }),
  example: { params: { start: ['', 0], limit: 10, order: 'by_from_id' } },
  stability: 'experimental',
  refuses: { ...listRefusals, ...refuse.texts },
  thread: 'read',
  handler: (list, call) => ({
    escrows: page(ways, list, call).map((some) => some.map((escrow) => makeEscrowRecord(call.parameters, escrow))),
  }),
});
