import type { Result } from '../../../client/index.ts';
import { useAsked } from '../asked.tsx';
import { headNumber } from '../live.tsx';
import { AccountLink, AccountLinks, Amount, Facts, Key, Said, Section } from '../parts.tsx';
import { counted } from '../words.ts';
import type { PartProps } from './part.ts';

type Authority = PartProps['account']['owner'];

/** What an account has, who acts for it, and how it votes. */
export function AccountSummary({ account }: PartProps) {
  const { name, owner, active, memo_key: memoKey, json_metadata: metadata } = account;
  return (
    <>
      <Facts
        of={[
          [
            'Balance',
            <>
              <Amount text={account.balance} /> <Pending name={name} committed={account.balance} />
            </>,
          ],
          ['Vesting shares', <Amount text={account.vesting_shares} />],
          ...(account.owed_vesting_shares === undefined
            ? []
            : [['Owed against dilution', <Amount text={account.owed_vesting_shares} />] as const]),
          [
            'Fees',
            account.sponsoring_account === '' ? (
              'paid by itself'
            ) : (
              <>
                paid by <AccountLink name={account.sponsoring_account} />
              </>
            ),
          ],
          ...(account.sponsored_accounts.length === 0
            ? []
            : [['Pays the fees of', <AccountLinks of={account.sponsored_accounts} />] as const]),
          ['Votes', <Votes account={account} />],
          ['Number', String(account.id)],
        ]}
      />
      <Section title="Who acts for it">
        <Facts
          of={[
            ['Active: everyday', <WhoMay authority={active} />],
            ['Owner: everything', <WhoMay authority={owner} />],
            ['Memos are for', <Key text={memoKey} />],
          ]}
        />
      </Section>
      {metadata !== '' && (
        <Section title="What it says of itself">
          <p>
            <Said text={metadata} />
          </p>
        </Section>
      )}
    </>
  );
}

/** What the balance will be once all that waits is in a block, where that differs. */
function Pending({ name, committed }: { readonly name: string; readonly committed: string }) {
  const asked = useAsked(
    name,
    async (client): Promise<Result<'alexandria_api.get_account'>> =>
      await client.call('alexandria_api.get_account', { account_name: name, pending: true }),
    headNumber.value,
  );
  if (asked === undefined || 'error' in asked) return null;
  const balance = asked.answer.account.find((each) => each.name === name)?.balance;
  return balance === undefined || balance === committed ? null : (
    <small>
      and <Amount text={balance} /> with what waits for a block
    </small>
  );
}

function Votes({ account: { voting_proxy: proxy, witness_votes: votes } }: Pick<PartProps, 'account'>) {
  if (proxy !== '')
    return (
      <>
        <AccountLink name={proxy} /> votes in its place
      </>
    );
  return votes.length === 0 ? (
    <>for no witness</>
  ) : (
    <>
      for <AccountLinks of={votes} />
    </>
  );
}

/** An authority as a sentence and a list. */
function WhoMay({
  authority: { weight_threshold: threshold, account_auths: accounts, key_auths: keys },
}: {
  readonly authority: Authority;
}) {
  const count = accounts.length + keys.length;
  const isSimple = count === 1 && [...accounts, ...keys].every(([, weight]) => weight >= threshold);
  if (threshold === 0) return <>anybody: it asks for no signature</>;
  if (count === 0) return <>nobody: no key is left</>;
  return (
    <>
      {!isSimple && (
        <>
          a weight of {threshold} from {counted(count, 'signer')}:
        </>
      )}
      <ul class="ids">
        {accounts.map(([name, weight]) => (
          <li key={name}>
            <AccountLink name={name} /> {!isSimple && <small>weighs {weight}</small>}
          </li>
        ))}
        {keys.map(([key, weight]) => (
          <li key={key}>
            <Key text={key} /> {!isSimple && <small>weighs {weight}</small>}
          </li>
        ))}
      </ul>
    </>
  );
}
