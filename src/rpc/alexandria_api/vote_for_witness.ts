import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { givenName } from '../../values/account_name.ts';
import { accountWitnessVote } from '../../operations/account_witness_vote.ts';
import { method } from '../method.ts';
import { noFee, operationResult } from './operation_result.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Builds an operation; it changes nothing. */
export const buildAccountWitnessVote = method({
  name: 'alexandria_api.vote_for_witness',
  doc: 'Builds the operation that votes for a witness, or takes a vote back.',
  params: { voting_account: coded(givenName), witness_to_vote_for: coded(givenName), approve: Type.Boolean() },
  result: operationResult,
  example: { params: { voting_account: 'alice', witness_to_vote_for: 'initminer', approve: true } },
  stability: 'stable',
  thread: 'read',
  handler: ({ voting_account, witness_to_vote_for, approve }, { parameters }) => ({
    op: accountWitnessVote.of({
      fee: noFee(parameters),
      account: voting_account,
      witness: witness_to_vote_for,
      approve,
    }),
  }),
});
