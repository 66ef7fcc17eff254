import { accountWitnessProxy } from '../../operations/account_witness_proxy.ts';
import { transactionCommand } from '../command.ts';
import { chainName } from '../params.ts';

/** Lets another account vote for witnesses in place of this one; "" ends that. */
export const setVotingProxyCommand = transactionCommand({
  name: 'set_voting_proxy',
  doc: 'Lets another account vote for witnesses in place of this one; "" ends that.',
  params: { account_to_modify: chainName, proxy: chainName },
  example: 'set_voting_proxy alice bob true',
  makes: accountWitnessProxy,
  operation: ({ account_to_modify: account, proxy }, { fee }) => accountWitnessProxy.of({ fee, account, proxy }),
});
