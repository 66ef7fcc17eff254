import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { i64, u128, u64 } from '../../codec/primitives.ts';
import { witnessRecord, makeWitnessRecord } from '../../queries/records/witness.ts';
import { requireRow, unknownWitnessRefusals } from '../../state/lookups.ts';
import { witnesses } from '../../state/tables/witness.ts';
import { accountName } from '../../values/account_name.ts';
import { along, byNames, byPair, bySingle, listParams, listRefusals, page } from './listing.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The orders of the list. */
const ways = {
  by_name: bySingle(accountName, byNames(witnesses), (name) => name),
  by_id: bySingle(u64, along(witnesses.by_id), (id): [bigint] => [id]),
  by_vote_name: byPair([i64, accountName], '[votes, owner]', along(witnesses.by_vote_name), (pair) => pair),
  by_schedule_time: byPair(
    [u128, accountName],
    '[time, owner]',
    along(witnesses.by_schedule_time),
    ([at, owner], rows): [bigint, bigint] => [at, owner === '' ? 0n : requireRow(rows, witnesses, owner, owner).id],
  ),
};

/** All witnesses. */
export const listWitnesses = method({
  name: 'database_api.list_witnesses',
  doc: 'All witnesses. Page by page, the element at `start` included.',
  params: listParams(ways),
  result: Type.Object({ witnesses: Type.Array(coded(witnessRecord)) }),
  example: { params: { start: '', limit: 10, order: 'by_name' } },
  stability: 'experimental',
  refuses: { ...listRefusals, ...unknownWitnessRefusals },
  thread: 'read',
  handler: (list, call) => ({ witnesses: page(ways, list, call).map((some) => some.map(makeWitnessRecord)) }),
});
