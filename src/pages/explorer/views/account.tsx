import type { ComponentType } from 'preact';
import { Answer, useAsked, useTitle } from '../asked.tsx';
import type { AccountRecord, PartProps } from '../account/part.ts';
import { AccountSummary } from '../account/summary.tsx';
import { AccountBalance } from '../account/balance.tsx';
import { AccountHistory } from '../account/history.tsx';
import { AccountVesting } from '../account/vesting.tsx';
import { AccountEscrows } from '../account/escrows.tsx';
import { AccountDocuments } from '../account/documents.tsx';
import { headNumber } from '../live.tsx';
import { NameTitle } from '../parts.tsx';
import { viewLink, type ViewProps } from '../router.ts';

const parts: Readonly<Record<string, { readonly title: string; readonly shows: ComponentType<PartProps> }>> = {
  '': { title: 'Account', shows: AccountSummary },
  history: { title: 'History', shows: AccountHistory },
  balance: { title: 'Balance', shows: AccountBalance },
  vesting: { title: 'Vesting', shows: AccountVesting },
  escrows: { title: 'Escrows', shows: AccountEscrows },
  documents: { title: 'Documents', shows: AccountDocuments },
};

/** An account, meant by its name or by the seed of its name. */
export function Account({ route: { of, part, at, chosen } }: ViewProps) {
  useTitle(of);
  const asked = useAsked(
    of,
    async (client) => (await client.call('alexandria_api.get_account', { account_name: of })).account,
    headNumber.value,
  );
  const shown = parts[part] ?? parts[''];
  const Shown = shown?.shows;
  const found = asked !== undefined && 'answer' in asked ? asked.answer : [];
  const account = found.find(({ name }) => name === of) ?? found[0];
  const name = account?.name ?? of;
  return (
    <>
      <NameTitle name={name} what="the name" />
      {name !== of && <p class="quiet">The chain gave this name to the account made with the seed “{of}”.</p>}
      {found.length > 1 && <Others accounts={found} shown={name} of={of} />}
      <nav class="tabs" aria-label={`About ${name}`}>
        {Object.entries(parts).map(([each, { title }]) => (
          <a
            key={each}
            href={viewLink('account', name, each)}
            aria-current={parts[each] === shown ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <Answer asked={asked}>
        {() => account !== undefined && Shown !== undefined && <Shown account={account} at={at} chosen={chosen} />}
      </Answer>
    </>
  );
}

/** A text can be the name of one account and the seed of another. */
function Others({
  accounts,
  shown,
  of,
}: {
  readonly accounts: readonly AccountRecord[];
  readonly shown: string;
  readonly of: string;
}) {
  const others = accounts.filter(({ name }) => name !== shown);
  return (
    <p class="quiet">
      The seed “{of}” made another account:{' '}
      {others.map(({ name }) => (
        <a key={name} href={viewLink('account', name)}>
          {name}
        </a>
      ))}
    </p>
  );
}
