import { bool } from '../../codec/primitives.ts';
import { accountWitnessVote } from '../../operations/account_witness_vote.ts';
import { transactionCommand } from '../command.ts';
import { chainName } from '../params.ts';

/** Votes for a witness, or takes the vote back. */
export const voteForWitnessCommand = transactionCommand({
  name: 'vote_for_witness',
  doc: 'Votes for a witness, or takes the vote back.',
  params: { voting_account: chainName, witness_to_vote_for: chainName, approve: bool },
  example: 'vote_for_witness alice initminer true true',
  makes: accountWitnessVote,
  operation: ({ voting_account: account, witness_to_vote_for: witness, approve }, { fee }) =>
    accountWitnessVote.of({ fee, account, witness, approve }),
});
