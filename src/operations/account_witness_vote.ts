import { refusals } from '../base/refusal.ts';
import { trueByDefault } from '../codec/primitives.ts';
import { struct } from '../codec/struct.ts';
import { requireAccount, requireRow } from '../state/lookups.ts';
import { refuseInPrivateNet } from '../state/private_net.ts';
import { accounts } from '../state/tables/account.ts';
import { witnesses } from '../state/tables/witness.ts';
import { witnessVotes } from '../state/tables/witness_vote.ts';
import { adjustWitnessVotes, voteWeight } from '../state/votes.ts';
import { accountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { operation } from './operation.ts';

const refuse = refusals({
  proxy_is_set: 'A proxy is currently set, please clear the proxy before voting for a witness.',
  no_vote: "Vote doesn't exist, user must indicate a desire to approve witness.",
  too_many_votes: 'Account has voted for too many witnesses.',
  vote_exists: 'Vote currently exists, user must indicate a desire to reject witness.',
});

/** Gives a vote to a witness or takes it back. */
export const accountWitnessVote = operation({
  name: 'account_witness_vote',
  doc: 'Gives a vote to a witness, or takes it back. The vote stands until it is taken back and moves with what the account holds.',
  fields: struct({ fee: asset, account: accountName, witness: accountName, approve: trueByDefault }),
  refuses: refuse,
  feeAccount: (body) => body.account,
  authorities: (body) => ({ active: [body.account] }),
  impacts: (body) => [body.account, body.witness],

  apply({ account, witness, approve }, state) {
    refuseInPrivateNet(state);
    const voter = requireAccount(state.rows, account);
    if (voter.proxy !== '') refuse.proxy_is_set();
    requireRow(state.rows, witnesses, witness, witness);
    const vote = state.rows.get(witnessVotes, { account, witness });
    const { witnesses_voted_for } = voter;
    if (vote === undefined) {
      if (!approve) refuse.no_vote();
      if (witnesses_voted_for >= state.parameters.genesis.max_account_witness_votes) refuse.too_many_votes();
      state.rows.put(witnessVotes, { id: state.rows.nextId(witnessVotes), witness, account });
      adjustWitnessVotes(state, witness, voteWeight(state, voter));
      state.rows.put(accounts, { ...voter, witnesses_voted_for: witnesses_voted_for + 1 });
    } else {
      if (approve) refuse.vote_exists();
      adjustWitnessVotes(state, witness, -voteWeight(state, voter));
      state.rows.put(accounts, { ...voter, witnesses_voted_for: witnesses_voted_for - 1 });
      state.rows.remove(witnessVotes, { account, witness });
    }
  },
});
