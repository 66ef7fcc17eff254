import { Type } from '../../jsonrpc/typebox.ts';
import { publicKey } from '../../values/public_key.ts';
import { accountsWithKeys, keyReferences } from '../../queries/key_references.ts';
import { method } from '../method.ts';
import { LARGEST_PAGE } from '../../queries/paging.ts';
import { coded } from '../../jsonrpc/params.ts';

/** Which accounts have a key in their owner or active authority. */
export const getKeyReferences = method({
  name: 'alexandria_api.get_key_references',
  doc: 'For each key the accounts that have it in their owner or active authority, by name.',
  params: { keys: Type.Array(coded(publicKey), { maxItems: LARGEST_PAGE }) },
  result: Type.Object({ accounts: coded(keyReferences) }),
  example: { params: { keys: ['PHR1111111111111111111111111111111114T1Anm'] } },
  stability: 'stable',
  thread: 'read',
  handler: ({ keys }, { rows }) => ({ accounts: accountsWithKeys(rows, keys) }),
});
