import { inOrder } from '../../blocks/signature_form.ts';
import { command } from '../command.ts';
import { combiningRefusals, requireSameTransaction } from '../send.ts';
import { transactionInput, shownTransaction } from '../transaction_json.ts';
import { knownChainSymbols } from '../wallet.ts';

/** One transaction with the signatures of both: two copies that different people have signed. */
export const combineTransactionsCommand = command({
  name: 'combine_transactions',
  doc: 'One transaction with the signatures of both: two copies that different people have signed.',
  params: { first: transactionInput, second: transactionInput },
  example: 'combine_transactions @mine.json @yours.json',
  refuses: combiningRefusals,
  handler: ({ first, second }, wallet) => {
    requireSameTransaction(first, second);
    const signatures = inOrder([...first.signatures, ...second.signatures]);
    return shownTransaction({ ...first, signatures }, knownChainSymbols(wallet));
  },
});
