import { struct } from '../../codec/struct.ts';
import { accountName } from '../../values/account_name.ts';
import { virtualOperation } from '../virtual_operation.ts';

/** A witness that missed its slots for a day lost its signing key. */
export const shutdownWitness = virtualOperation({
  name: 'shutdown_witness',
  doc: 'A witness that missed its slots for a day lost its signing key.',
  fields: struct({ owner: accountName }),
  impacts: (body) => [body.owner],
});
