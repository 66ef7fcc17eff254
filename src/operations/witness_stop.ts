import { requireAccount } from '../state/lookups.ts';
import { deleteWitness } from '../state/stopped_witnesses.ts';
import { witnesses } from '../state/tables/witness.ts';
import { lastProducerRefusals, requireOtherProducer } from '../state/witnesses.ts';
import { accountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { NULL_KEY } from '../values/public_key.ts';
import { operation, paidBody } from './operation.ts';

/** Stops an account from being a witness. */
export const witnessStop = operation({
  name: 'witness_stop',
  doc: 'Ends an account’s being a witness; without a witness it does nothing. Refused when nobody else could produce blocks.',
  fields: paidBody({ fee: asset, owner: accountName }),
  refuses: { texts: lastProducerRefusals },
  feeAccount: (body) => body.owner,
  feeRule: 'base',
  authorities: (body) => ({ active: [body.owner] }),
  impacts: (body) => [body.owner],

  apply({ owner }, state) {
    requireAccount(state.rows, owner);
    const witness = state.rows.get(witnesses, owner);
    if (witness === undefined) return;
    requireOtherProducer(state, owner);
    if (state.parameters.rules.witness_stop_deletes) deleteWitness(state, owner);
    else state.rows.put(witnesses, { ...witness, signing_key: NULL_KEY });
  },
});
