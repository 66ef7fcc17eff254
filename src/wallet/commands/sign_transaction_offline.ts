import { refusals } from '../../base/refusal.ts';
import { vector } from '../../codec/collections.ts';
import { publicKey } from '../../values/public_key.ts';
import { command } from '../command.ts';
import { keyStoreRefusals } from '../key_store.ts';
import { signWithKeys } from '../send.ts';
import { requireNoWalletKeys } from '../revealed_keys.ts';
import { checkForeignTransaction, foreignRefusals } from '../foreign_transaction.ts';
import { transactionInput, shownTransaction } from '../transaction_json.ts';
import { warnOfAuthorities } from '../warn_of_authorities.ts';
import { knownChainSymbols } from '../wallet.ts';

const refuse = refusals({
  chain_unknown:
    'the wallet has not signed for any chain yet; name the one that the transaction is for with --chain-id',
});

/**
 * Adds the signatures of these keys without asking a node: the chain is the one of the wallet file or of --chain-id.
 */
export const signTransactionOfflineCommand = command({
  name: 'sign_transaction_offline',
  doc: 'Adds the signatures of these keys without asking a node: the chain is the one of the wallet file or of --chain-id.',
  params: { transaction: transactionInput, keys: vector(publicKey) },
  example: 'sign_transaction_offline @transaction.json [PHR6…]',
  needs: 'keys',
  local: true,
  refuses: { ...refuse.texts, ...foreignRefusals, key_not_in_wallet: keyStoreRefusals.key_not_in_wallet },
  handler: async ({ transaction, keys }, wallet) => {
    const chainId = wallet.settings.chainId ?? wallet.keys.chainId ?? refuse.chain_unknown();
    const symbols = knownChainSymbols(wallet);
    requireNoWalletKeys(wallet, transaction.operations);
    await checkForeignTransaction(wallet, transaction);
    await warnOfAuthorities(wallet, transaction.operations, true);
    return shownTransaction(signWithKeys(wallet, transaction, chainId, keys, symbols), symbols);
  },
});
