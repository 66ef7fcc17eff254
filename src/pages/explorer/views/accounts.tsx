import type { Result } from '../../../client/index.ts';
import { Answer, useAsked, useTitle } from '../asked.tsx';
import { headNumber } from '../live.tsx';
import { AccountLink, Amount, Pager, Table, type Column } from '../parts.tsx';
import { linkTo, type ViewProps } from '../router.ts';

const PAGE = 50;

type AccountRecord = Result<'database_api.list_accounts'>['accounts'][number];

/** All accounts by name, page by page. */
export function Accounts({ route: { at } }: ViewProps) {
  useTitle('Accounts');
  const asked = useAsked(
    at,
    // One more tells whether there is another page, and where it begins.
    async (client) => (await client.call('database_api.list_accounts', { start: at, limit: PAGE + 1, order: 'by_name' })).accounts,
    headNumber.value,
  );
  return (
    <>
      <h1 tabIndex={-1}>Accounts</h1>
      <p class="quiet">
        {at === '' ? 'All accounts by name.' : `Accounts from ${at} on.`} The search above finds one by its name, its seed or a key.
      </p>
      <Answer asked={asked}>
        {(accounts) => (
          <>
            <Table
              caption="Accounts by name"
              columns={columns}
              rows={accounts.slice(0, PAGE)}
              keyOf={({ name }) => name}
              none="No account has a name from here on."
            />
            <NextPage from={accounts[PAGE]?.name} isFirst={at === ''} />
          </>
        )}
      </Answer>
    </>
  );
}

function NextPage({ from, isFirst }: { readonly from: string | undefined; readonly isFirst: boolean }) {
  return (
    <Pager
      newer={isFirst ? undefined : linkTo('accounts')}
      older={from === undefined ? undefined : linkTo('accounts', '', '', from)}
      words={['← From the start', 'Next →']}
    />
  );
}

const columns: readonly Column<AccountRecord>[] = [
  { name: 'Account', kind: 'text', cell: ({ name }) => <AccountLink name={name} /> },
  { name: 'Balance', kind: 'number', cell: ({ balance }) => <Amount text={balance} /> },
  { name: 'Vesting shares', kind: 'spare', cell: ({ vesting_shares: shares }) => <Amount text={shares} /> },
];
