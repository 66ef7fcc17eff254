import { dilutionProtectionRecord, makeDilutionProtectionRecord } from '../../queries/records/dilution_protection.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Returns the state of the dilution protection. */
export const getDilutionProtection = method({
  name: 'database_api.get_dilution_protection',
  doc: 'How vesting shares are protected against dilution: the index that they grow with, and what protection has issued. A method of our own.',
  params: {},
  result: coded(dilutionProtectionRecord),
  example: { params: {} },
  stability: 'experimental',
  thread: 'read',
  handler: (_, { rows, parameters }) => makeDilutionProtectionRecord(rows, parameters),
});
