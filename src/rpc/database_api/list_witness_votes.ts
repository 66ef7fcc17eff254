import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { witnessVoteRecord } from '../../queries/records/witness_vote.ts';
import { isInForce } from '../../state/stopped_witnesses.ts';
import { witnessVotes, type WitnessVote } from '../../state/tables/witness_vote.ts';
import type { Index, TuplePrefix } from '../../storage/table.ts';
import { accountName, type AccountName } from '../../values/account_name.ts';
import { along, byPair, listParams, listRefusals, page, type Walk } from './listing.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { visibleRows } from '../../queries/visible_rows.ts';

type Names = TuplePrefix<readonly [AccountName, AccountName]>;

/** The votes that stand: those for stopped witnesses are only waiting to be removed. */
function inForce(index: Index<readonly [AccountName, AccountName], WitnessVote>): Walk<Names, WitnessVote> {
  const walk = along(index);
  return {
    ...walk,
    rows: (rows, bounds) =>
      visibleRows<Names, WitnessVote>(bounds, {
        walk: (stretch) => walk.rows(rows, stretch),
        positionOf: walk.positionOf,
        isVisible: (vote) => isInForce(rows, vote),
      }),
  };
}

/** The orders of the list. */
const ways = {
  by_account_witness: byPair(
    [accountName, accountName],
    '[account, witness]',
    inForce(witnessVotes.by_account_witness),
    (pair) => pair,
  ),
  by_witness_account: byPair(
    [accountName, accountName],
    '[witness, account]',
    inForce(witnessVotes.by_witness_account),
    (pair) => pair,
  ),
};

/** All votes for witnesses. */
export const listWitnessVotes = method({
  name: 'database_api.list_witness_votes',
  doc: 'All votes for witnesses. Page by page, the element at `start` included.',
  params: listParams(ways),
  result: Type.Object({ votes: Type.Array(coded(witnessVoteRecord)) }),
  example: { params: { start: ['', ''], limit: 10, order: 'by_account_witness' } },
  stability: 'experimental',
  refuses: listRefusals,
  thread: 'read',
  handler: (list, call) => ({ votes: page(ways, list, call) }),
});
