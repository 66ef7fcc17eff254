import type { Json } from '../../codec/json.ts';
import { u32 } from '../../codec/primitives.ts';
import { nameMeant } from '../accounts.ts';
import { command } from '../command.ts';
import { openMemo } from '../memo.ts';
import { accountText, position } from '../params.ts';
import { showHistory } from '../show/history.ts';
import { shownOperation, withMember } from '../transaction_json.ts';
import { type Wallet, chainSymbols } from '../wallet.ts';

/** The pair [sequence, entry] with its operation changed. */
function shownEntry(pair: Json, change: (op: Json) => Json): Json {
  const [sequence = null, entry = null] = Array.isArray(pair) ? pair : [];
  return [sequence, withMember(entry, 'op', change)];
}

function withOpenMemo(wallet: Wallet, op: Json): Json {
  const [name, body] = Array.isArray(op) ? op : [];
  if (name !== 'transfer' || body === undefined) return op;
  return [name, withMember(body, 'memo', (memo) => (typeof memo === 'string' ? openMemo(wallet, memo) : memo))];
}

/** Shows the history of an account: entries from - limit to from, -1 is the newest. */
export const getAccountHistoryCommand = command({
  name: 'get_account_history',
  doc: 'What happened to an account: entries from - limit to from, -1 is the newest. Memos for keys of an unlocked wallet are decrypted.',
  params: { account: accountText, from: position, limit: u32 },
  example: 'get_account_history alice -1 100',
  needs: 'keys if unlocked',
  show: showHistory,
  handler: async ({ account, from: start, limit }, wallet) => {
    const symbols = await chainSymbols(wallet);
    const params = { account: await nameMeant(wallet, account), start, limit };
    const entries = await wallet.node.ask('get_account_history', params, 'account_history');
    return Array.isArray(entries)
      ? entries.map((entry) => shownEntry(entry, (op) => withOpenMemo(wallet, shownOperation(op, symbols))))
      : entries;
  },
});
