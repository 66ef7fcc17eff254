import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { producerRecord, makeWitnessRecord } from '../../queries/records/witness.ts';
import { witnesses, type Witness } from '../../state/tables/witness.ts';
import type { CommittedRows } from '../../storage/rows.ts';
import { accountName, type AccountName } from '../../values/account_name.ts';
import { method } from '../method.ts';
import { pageLimit, pageRefusals, requirePage } from '../../queries/paging.ts';
import { inPages } from '../chunks.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Witnesses, most votes first. */
export const listWitnessesByVote = method({
  name: 'alexandria_api.list_witnesses_by_vote',
  doc: 'Witnesses by their votes, most first: from the top for an empty name or null, else from the witness of that name or the nearest before it.',
  params: { name: coded(accountName, { default: '' }), limit: coded(pageLimit) },
  result: Type.Object({ witnesses_by_vote: Type.Array(coded(producerRecord)) }),
  example: { params: { name: '', limit: 10 } },
  stability: 'stable',
  refuses: pageRefusals,
  thread: 'read',

  handler({ name, limit }, call) {
    requirePage(limit, call.encoding);
    const found = inPages<Witness>(call, limit, (last, most) => byVotes(call.rows, name, most, last));
    return { witnesses_by_vote: found.map((some) => some.map(makeWitnessRecord)) };
  },
});

function byVotes(rows: CommittedRows, name: AccountName, limit: number, last: Witness | undefined): Witness[] {
  if (last !== undefined) return rows.range(witnesses.by_vote_name, { after: [last.votes, last.owner], limit });
  if (name === '') return rows.range(witnesses.by_vote_name, { limit });
  const [start] = rows.rows(witnesses, { to: name, reverse: true, limit: 1 });
  return start === undefined ? [] : rows.range(witnesses.by_vote_name, { from: [start.votes, start.owner], limit });
}
