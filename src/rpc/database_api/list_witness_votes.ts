import Type from 'typebox';
import { witnessVoteRecord } from '../../state/records/witness_vote.ts';
import { witnessVotes } from '../../state/tables/witness_vote.ts';
import { accountName } from '../../values/account_name.ts';
import { byPair, listParams, listRefusals, page } from '../listing.ts';
import { method } from '../method.ts';
import { coded } from '../params.ts';

/** The ways through the list. */
const ways = {
  by_account_witness: byPair([accountName, accountName], (rows, stretch, account, witness) =>
    rows.range(witnessVotes.by_account_witness, stretch([account, witness])),
  ),
  by_witness_account: byPair([accountName, accountName], (rows, stretch, witness, account) =>
    rows.range(witnessVotes.by_witness_account, stretch([witness, account])),
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
