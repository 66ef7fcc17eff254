import { text } from '../../codec/primitives.ts';
import { transfer } from '../../operations/transfer.ts';
import { asset } from '../../values/asset.ts';
import { requireAccount } from '../accounts.ts';
import { transactionCommand } from '../command.ts';
import { encryptIfMarked, memoRefusals } from '../memo.ts';
import { chainName } from '../params.ts';

/** Moves coins from one account to another. */
export const transferCommand = transactionCommand({
  name: 'transfer',
  doc: 'Moves coins from one account to another. A memo that starts with # is encrypted for the two of them.',
  params: { from: chainName, to: chainName, amount: asset, memo: text },
  example: 'transfer alice bob "10.000 COIN" "memo" true',
  refuses: memoRefusals,
  makes: transfer,
  operation: async ({ from, to, amount, memo }, { wallet, fee }) => {
    await requireAccount(wallet, from);
    return transfer.of({ fee, from, to, amount, memo: await encryptIfMarked(wallet, from, to, memo) });
  },
});
