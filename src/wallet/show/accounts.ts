import type { Json } from '../../codec/json.ts';
import { addAssets, assetText, parseAsset, type Asset } from '../../values/asset.ts';
import { member } from '../../client/chain_of_node.ts';
import { table } from './table.ts';
import { cellText } from './text.ts';
import type { Terminal } from './terminal.ts';

const COLUMNS = [
  { title: 'ACCOUNT', align: 'left' },
  { title: 'BALANCE', align: 'right' },
  { title: 'VESTING SHARES', align: 'right' },
  { title: 'WITHDRAWS A DAY', align: 'right' },
  { title: 'PROXY', align: 'left' },
  { title: 'VOTES FOR', align: 'left' },
] as const;

/** Accounts with what they hold, and the sums where there are several. */
export function showAccounts(result: Json, terminal: Terminal): string {
  const accounts = Array.isArray(result) ? result : [];
  if (accounts.length === 0) return 'no accounts\n';
  const rows = accounts.map((account) =>
    ['name', 'balance', 'vesting_shares', 'vesting_withdraw_rate', 'voting_proxy', 'witness_votes'].map((name) =>
      cell(member(account, name)),
    ),
  );
  const totals = accounts.length === 1 ? [] : [['TOTAL', total(accounts, 'balance'), total(accounts, 'vesting_shares')]];
  return table(COLUMNS, [...rows, ...totals], terminal);
}

function cell(value: Json | undefined): string {
  return Array.isArray(value) ? value.map(cellText).join(' ') : cellText(value);
}

/** The sum of one kind of asset; '' where an amount can't be read. */
function total(accounts: readonly Json[], name: string): string {
  const amounts = accounts.map((account) => parseAsset(cellText(member(account, name))));
  const [first, ...others] = amounts.filter((amount) => amount !== undefined);
  if (first === undefined || others.length + 1 < amounts.length) return '';
  return assetText(others.reduce<Asset>(addAssets, first));
}
