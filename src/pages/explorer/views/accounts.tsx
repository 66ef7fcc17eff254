import type { Result } from '../../../client/index.ts';
import { ListByName } from '../list_by_name.tsx';
import { AccountLink, ColumnAmount, type Column } from '../parts.tsx';
import type { ViewProps } from '../router.ts';

type AccountRecord = Result<'database_api.list_accounts'>['accounts'][number];

/** All accounts by name, page by page. */
export function Accounts({ route: { at } }: ViewProps) {
  return (
    <ListByName
      view="accounts"
      title="Accounts"
      intro={`${at === '' ? 'All accounts by name.' : `Accounts from ${at} on.`} The search above finds one by its name, its seed or a key.`}
      at={at}
      list={async (client, start, limit) =>
        (await client.call('database_api.list_accounts', { start, limit, order: 'by_name' })).accounts
      }
      columns={columns}
      none="No account has a name from here on."
    />
  );
}

const columns: readonly Column<AccountRecord>[] = [
  { name: 'Account', kind: 'text', cell: ({ name }) => <AccountLink name={name} /> },
  { name: 'Balance', kind: 'number', cell: ({ balance }) => <ColumnAmount text={balance} /> },
  { name: 'Vesting shares', kind: 'number', cell: ({ vesting_shares: shares }) => <ColumnAmount text={shares} /> },
];
