import { witnessStop } from '../../operations/witness_stop.ts';
import { transactionCommand } from '../command.ts';
import { chainName } from '../params.ts';

/** Ends the witness of an account. */
export const stopWitnessCommand = transactionCommand({
  name: 'stop_witness',
  doc: 'Ends the witness of an account.',
  params: { witness_account_name: chainName },
  example: 'stop_witness alice true',
  makes: witnessStop,
  operation: ({ witness_account_name: owner }, { fee }) => witnessStop.of({ fee, owner }),
});
