import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { producerRecord, makeWitnessRecord } from '../../queries/records/witness.ts';
import { witnesses } from '../../state/tables/witness.ts';
import { accountName } from '../../values/account_name.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The witness that an account owns. */
export const getWitness = method({
  name: 'alexandria_api.get_witness',
  doc: 'The witness that an account owns; no member when it owns none.',
  params: { owner_account: coded(accountName) },
  result: Type.Object({ witness: Type.Optional(coded(producerRecord)) }),
  example: { params: { owner_account: 'initminer' } },
  stability: 'stable',
  thread: 'read',

  handler({ owner_account }, { rows }) {
    const witness = rows.get(witnesses, owner_account);
    return witness === undefined ? {} : { witness: makeWitnessRecord(witness) };
  },
});
