import { text } from '../../codec/primitives.ts';
import { accountCreate } from '../../operations/account_create.ts';
import { publicKey } from '../../values/public_key.ts';
import { transactionCommand } from '../command.ts';
import { creationRefusals, makeCreation } from '../new_account.ts';
import { chainName } from '../params.ts';

/** Makes an account with these keys; its name follows from the seed. */
export const createAccountWithKeysCommand = transactionCommand({
  name: 'create_account_with_keys',
  doc: 'Makes an account with these keys; its name follows from the seed. The fee is what the witnesses agreed on.',
  params: {
    creator: chainName,
    name_seed: text,
    json_meta: text,
    owner_key: publicKey,
    active_key: publicKey,
    memo_key: publicKey,
  },
  example: 'create_account_with_keys alice "carol" "{}" PHR6… PHR7… PHR8… true',
  refuses: creationRefusals,
  makes: accountCreate,
  operation: (values, { wallet }) => makeCreation(wallet, values),
});
