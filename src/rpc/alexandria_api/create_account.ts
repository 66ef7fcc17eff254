import { accountCreate } from '../../operations/account_create.ts';
import { witnessSchedule } from '../../state/tables/witness_schedule.ts';
import { givenName } from '../../values/account_name.ts';
import { keyAuthority } from '../../values/authority.ts';
import { publicKey } from '../../values/public_key.ts';
import { sentText } from '../../values/limited_text.ts';
import { method } from '../method.ts';
import { operationResult } from './operation_result.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Builds an operation; it changes nothing. */
export const buildAccountCreate = method({
  name: 'alexandria_api.create_account',
  doc: 'Builds the operation that creates an account whose name follows from a seed; its fee is what the witnesses agreed on.',
  params: {
    creator: coded(givenName),
    name_seed: coded(sentText),
    json_meta: coded(sentText),
    owner: coded(publicKey),
    active: coded(publicKey),
    memo: coded(publicKey),
  },
  result: operationResult,
  example: {
    params: {
      creator: 'alice',
      name_seed: 'carol',
      json_meta: '{}',
      owner: 'PHR1111111111111111111111111111111114T1Anm',
      active: 'PHR1111111111111111111111111111111114T1Anm',
      memo: 'PHR1111111111111111111111111111111114T1Anm',
    },
  },
  stability: 'stable',
  thread: 'read',

  handler({ creator, name_seed, json_meta, owner, active, memo }, { rows }) {
    const { account_creation_fee: fee } = rows.only(witnessSchedule);
    const authorities = { owner: keyAuthority(owner), active: keyAuthority(active) };
    return {
      op: accountCreate.of({ fee, creator, name_seed, ...authorities, memo_key: memo, json_metadata: json_meta }),
    };
  },
});
