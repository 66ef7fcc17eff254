import type { Json } from '../../codec/json.ts';
import { addAssets, assetText, parseAsset, type Asset } from '../../values/asset.ts';
import { member } from '../../client/chain_of_node.ts';
import { table } from './table.ts';
import { cellText } from './text.ts';
import type { Terminal } from './terminal.ts';

interface Member {
  readonly name: string;
  readonly title: string;
  readonly align: 'left' | 'right';
  /** True to show its sum below when there are several accounts. */
  readonly isSummed?: boolean;
}

const MEMBERS: readonly Member[] = [
  { name: 'name', title: 'ACCOUNT', align: 'left' },
  { name: 'balance', title: 'BALANCE', align: 'right', isSummed: true },
  { name: 'vesting_shares', title: 'VESTING SHARES', align: 'right', isSummed: true },
  { name: 'owed_vesting_shares', title: 'OWED', align: 'right', isSummed: true },
  { name: 'locked_vesting_shares', title: 'LOCKED', align: 'right', isSummed: true },
  { name: 'vesting_withdraw_rate', title: 'INSTALMENT', align: 'right' },
  { name: 'voting_proxy', title: 'PROXY', align: 'left' },
  { name: 'witness_votes', title: 'VOTES FOR', align: 'left' },
];

/**
 * Accounts with their balances, and the sums if there are several. Members that a chain lacks, such as owed shares, get
 * no column.
 */
export function showAccounts(result: Json, terminal: Terminal): string {
  const accounts = Array.isArray(result) ? result : [];
  if (accounts.length === 0) return 'no accounts\n';
  const members = MEMBERS.filter(({ name }) => accounts.some((account) => member(account, name) !== undefined));
  const rows = accounts.map((account) => members.map(({ name }) => cell(member(account, name))));
  const totals = members.map(({ name, isSummed }) =>
    name === 'name' ? 'TOTAL' : isSummed === true ? total(accounts, name) : '',
  );
  return table(members, accounts.length === 1 ? rows : [...rows, totals], terminal);
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
