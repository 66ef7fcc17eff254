import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { NULL_KEY, publicKey } from '../../values/public_key.ts';
import { accountsWithKey, firstReference, keyReferences } from '../../queries/key_references.ts';
import { method } from '../method.ts';
import { inChunks } from '../chunks.ts';
import { LARGEST_PAGE } from '../../queries/paging.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Finds the accounts that have a key in their owner or active authority. */
export const getKeyReferences = method({
  name: 'account_by_key_api.get_key_references',
  doc: 'For each key the accounts that have it in their owner or active authority, by name from `start` on, at most 1 000. The last of 1 000 is the `start` of the next page.',
  params: {
    keys: Type.Array(coded(publicKey), { maxItems: LARGEST_PAGE }),
    start: coded(firstReference, {
      default: '',
      description: 'the name that each list begins with, or goes on behind',
    }),
  },
  result: Type.Object({ accounts: Type.Array(coded(keyReferences)) }),
  example: {
    params: { keys: ['PHR7zsqi7QUAjTAdyynd6DVe8uv4K8gCTRHnAoMN9w9CA1xLCTDVv'] },
    result: { accounts: [['alice']] },
  },
  stability: 'experimental',
  weight: { item: 1 },
  thread: 'read',
  handler: ({ keys, start }, call) => ({
    accounts: inChunks(call, keys, ([key = NULL_KEY]) => [accountsWithKey(call.rows, key, start)], 1),
  }),
});
