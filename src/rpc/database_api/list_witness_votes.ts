import { Type } from '../../jsonrpc/typebox.ts';
import { witnessVoteRecord } from '../../queries/records/witness_vote.ts';
import { isInForce } from '../../state/stopped_witnesses.ts';
import { witnessVotes, type WitnessVote } from '../../state/tables/witness_vote.ts';
import type { TuplePrefix } from '../../storage/table.ts';
import { accountName, type AccountName } from '../../values/account_name.ts';
import { byPair, listParams, listRefusals, page } from './listing.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/params.ts';
import { visibleRows } from '../../queries/visible_rows.ts';

type Names = TuplePrefix<readonly [AccountName, AccountName]>;

/** The orders of the list; votes for stopped witnesses are only waiting to be removed. */
const ways = {
  by_account_witness: byPair([accountName, accountName], '[account, witness]', (rows, stretch, account, witness) =>
    visibleRows<Names, WitnessVote>(stretch([account, witness]), {
      walk: (bounds) => rows.range(witnessVotes.by_account_witness, bounds),
      positionOf: (vote) => [vote.account, vote.witness],
      isVisible: (vote) => isInForce(rows, vote),
    }),
  ),
  by_witness_account: byPair([accountName, accountName], '[witness, account]', (rows, stretch, witness, account) =>
    visibleRows<Names, WitnessVote>(stretch([witness, account]), {
      walk: (bounds) => rows.range(witnessVotes.by_witness_account, bounds),
      positionOf: (vote) => [vote.witness, vote.account],
      isVisible: (vote) => isInForce(rows, vote),
    }),
  ),
};

/** All votes for witnesses. */
export const listWitnessVotes = method({
  name: 'database_api.list_witness_votes',
  doc: 'All votes for witnesses. Page by page, the element at `start` included.',
  params: listParams,
  result: Type.Object({ votes: Type.Array(coded(witnessVoteRecord)) }),
  example: { params: { start: ['', ''], limit: 10, order: 'by_account_witness' } },
  stability: 'experimental',
  refuses: listRefusals,
  thread: 'read',
  handler: (list, call) => ({ votes: page(ways, list, call) }),
});
