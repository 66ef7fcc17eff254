import type { Client, Result } from '../../../client/index.ts';
import { useAnswer, useAsked } from '../asked.tsx';
import { AuthorityPicture, OtherUses } from '../authority_picture.tsx';
import { headNumber } from '../live.tsx';
import { AccountLink, AccountLinks, Amount, Facts, Key, Said, Section } from '../parts.tsx';
import type { PartProps } from './part.ts';

/** The balances of an account, its authorities and its votes. */
export function AccountSummary({ account }: PartProps) {
  const { name, json_metadata: metadata } = account;
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
      <Authorities account={account} />
      {metadata !== '' && (
        <Section title="Profile">
          <p>
            <Said text={metadata} />
          </p>
        </Section>
      )}
    </>
  );
}

/** The balance after all pending transactions, if it differs. */
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

/** The authorities as pictures, and the other places of their keys. */
function Authorities({ account: { name, owner, active, memo_key: memoKey } }: Pick<PartProps, 'account'>) {
  const keys = [...new Set([...owner.key_auths, ...active.key_auths].map(([key]) => key)), memoKey];
  const found = useAnswer(
    'Where else the keys are used',
    JSON.stringify([name, keys]),
    async (client) => await fetchUses(client, name, keys),
  );
  const { uses, signingKey }: Partial<Uses> = found ?? {};
  return (
    <Section title="Authorities">
      <Facts
        of={[
          ['Active: everyday', <AuthorityPicture authority={active} otherUses={uses} />],
          ['Owner: everything', <AuthorityPicture authority={owner} otherUses={uses} />],
          [
            'Memo key',
            <>
              <Key text={memoKey} /> <OtherUses of={uses?.get(memoKey)} />
            </>,
          ],
          ...(signingKey === undefined ? [] : [['Signs blocks with', <Key text={signingKey} />] as const]),
        ]}
      />
    </Section>
  );
}

interface Uses {
  readonly uses: ReadonlyMap<string, readonly string[]>;
  /** The key of a witness. */
  readonly signingKey: string | undefined;
}

async function fetchUses(client: Client, name: string, keys: readonly string[]): Promise<Uses> {
  const [{ accounts }, { witnesses }] = await Promise.all([
    client.call('alexandria_api.get_key_references', { keys }),
    client.call('database_api.find_witnesses', { owners: [name] }),
  ]);
  const uses = new Map(keys.map((key, index) => [key, (accounts[index] ?? []).filter((other) => other !== name)]));
  return { uses, signingKey: witnesses.find(({ owner }) => owner === name)?.signing_key };
}
