import { refusals } from '../base/refusal.ts';
import { trueByDefault } from '../codec/primitives.ts';
import type { ChainState } from '../state/chain_state.ts';
import { requireAccount, requireRow } from '../state/lookups.ts';
import { refuseInPrivateNet } from '../state/private_net.ts';
import { isInForce, removeVote } from '../state/stopped_witnesses.ts';
import { accounts, type Account } from '../state/tables/account.ts';
import { stoppedWitnesses } from '../state/tables/stopped_witness.ts';
import { witnesses } from '../state/tables/witness.ts';
import { witnessVotes } from '../state/tables/witness_vote.ts';
import { adjustWitnessVotes, accountVotes, voteWeight } from '../state/votes.ts';
import { accountName, type AccountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { operation, paidBody } from './operation.ts';

const refuse = refusals({
  proxy_is_set: {
    text: '{proxy} votes for {account}, which can vote by itself when it has cleared its proxy',
    lineage: 'A proxy is currently set, please clear the proxy before voting for a witness.',
  },
  no_vote: {
    text: '{account} has no vote for {witness} that it could take back',
    lineage: "Vote doesn't exist, user must indicate a desire to approve witness.",
  },
  too_many_votes: {
    text: '{account} votes for {most} witnesses, as many as it can; it must take another vote back first',
    lineage: 'Account has voted for too many witnesses.',
  },
  vote_exists: {
    text: '{account} votes for {witness} already; approve: false takes the vote back',
    lineage: 'Vote currently exists, user must indicate a desire to reject witness.',
  },
});

/** Casts a vote for a witness or withdraws it. */
export const accountWitnessVote = operation({
  name: 'account_witness_vote',
  doc: 'Gives a vote to a witness, or takes it back. The vote stands until it is taken back and moves with what the account holds.',
  fields: paidBody({ fee: asset, account: accountName, witness: accountName, approve: trueByDefault }),
  refuses: refuse,
  feeAccount: (body) => body.account,
  authorities: (body) => ({ active: [body.account] }),
  impacts: (body) => [body.account, body.witness],

  apply({ account, witness, approve }, state) {
    refuseInPrivateNet(state);
    const voter = requireAccount(state.rows, account);
    if (voter.proxy !== '') refuse.proxy_is_set({ account, proxy: voter.proxy });
    requireRow(state.rows, witnesses, witness, witness);
    const vote = state.rows.get(witnessVotes, { account, witness });
    const isThere = vote !== undefined && isInForce(state.rows, vote);
    if (isThere === approve && state.parameters.rules.idempotent_votes) return;
    if (!isThere) {
      if (!approve) refuse.no_vote({ account, witness });
      const { max_account_witness_votes: most } = state.parameters.genesis;
      if (votesCast(state, voter) >= most) refuse.too_many_votes({ account, most });
      adjustWitnessVotes(state, witness, voteWeight(state, voter));
      castVote(state, voter, witness);
    } else {
      if (approve) refuse.vote_exists({ account, witness });
      adjustWitnessVotes(state, witness, -voteWeight(state, voter));
      removeVote(state, vote);
    }
  },
});

/** The number of valid votes of the account. */
function votesCast(state: ChainState, { name, witnesses_voted_for }: Account): number {
  // The account's own count includes votes for stopped witnesses until they are removed.
  return state.rows.first(stoppedWitnesses.by_id) === undefined
    ? witnesses_voted_for
    : accountVotes(state, name).length;
}

/** Adds the vote, possibly replacing one for a witness that was stopped and has returned. */
function castVote({ rows, consequences }: ChainState, voter: Account, witness: AccountName): void {
  const { name: account, witnesses_voted_for } = voter;
  consequences.forgetChosen(account);
  const isNew = rows.get(witnessVotes, { account, witness }) === undefined;
  rows.put(witnessVotes, { id: rows.nextId(witnessVotes), witness, account });
  if (isNew) rows.put(accounts, { ...voter, witnesses_voted_for: witnesses_voted_for + 1 });
}
