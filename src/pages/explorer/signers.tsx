import type { CountedMember, ReachedWeight, UncountedMember } from '../../client/authority_weights.ts';
import { findSigners, type SignedTransaction } from '../../client/transaction_signers.ts';
import { countText } from '../../values/words.ts';
import { Answer, useAsked } from './asked.tsx';
import { AccountLink, Key } from './parts.tsx';

/** The keys that signed a transaction, and how their weights reach the thresholds of its authorities. */
export function Signers({ tx, isPending }: { readonly tx: SignedTransaction; readonly isPending: boolean }) {
  const asked = useAsked(tx.transaction_id, async (client) => await findSigners(client, tx));
  return (
    <Answer asked={asked}>
      {(signers) => {
        if (signers === undefined)
          return (
            <p class="notice">
              {isPending
                ? 'Its signatures do not satisfy the authorities as they are at the head. A pending transaction before it may change them.'
                : 'Its signatures do not satisfy the authorities of today: keys or authorities have changed since. The chain checked those of the time of the block.'}
            </p>
          );
        if (signers.reached.length + signers.others.length === 0)
          return (
            <p class="notice">No key of an account has signed it: a development chain accepts such transactions.</p>
          );
        return (
          <>
            <ul class="operations">
              {signers.reached.map(({ account, level, weight }) => (
                <li key={`${level} ${account}`}>
                  The {level} authority of <AccountLink name={account} />: <Weight of={weight} />
                </li>
              ))}
              {signers.others.map((key) => (
                <li key={key}>
                  <Key text={key} />
                  <small>in no authority of an account: the operation brings it</small>
                </li>
              ))}
            </ul>
            <p class="quiet">
              These keys satisfy exactly the authorities that its operations need, as they are today. The node says so.
            </p>
          </>
        );
      }}
    </Answer>
  );
}

/** The members of an authority that are named although they do not count. */
const MOST_UNCOUNTED = 20;

/** A weight and its threshold, the keys and accounts that it comes from, and those that do not count. */
function Weight({ of: { weight, threshold, members, uncounted } }: { readonly of: ReachedWeight }) {
  const more = uncounted.length - MOST_UNCOUNTED;
  return (
    <>
      weight {countText(weight)}, and {countText(threshold)} is needed
      <ul class="ids">
        {members.map((member) => (
          <li key={memberName(member)}>
            <Member of={member} />
          </li>
        ))}
        {uncounted.slice(0, MOST_UNCOUNTED).map((member) => (
          <li key={memberName(member)}>
            {'key' in member ? <Key text={member.key} /> : <NamedAccount name={member.account} />}
            <small>
              {'key' in member ? 'has not signed' : 'does not count'}; would weigh {countText(member.weight)}
            </small>
          </li>
        ))}
        {more > 0 && <li>{countText(more)} more do not count</li>}
      </ul>
    </>
  );
}

function memberName(member: UncountedMember): string {
  return 'key' in member ? member.key : member.account;
}

function NamedAccount({ name }: { readonly name: string }) {
  return (
    <>
      the account <AccountLink name={name} />
    </>
  );
}

function Member({ of }: { readonly of: CountedMember }) {
  return 'key' in of ? (
    <>
      <Key text={of.key} /> <small>has signed; weighs {countText(of.weight)}</small>
    </>
  ) : (
    <>
      <NamedAccount name={of.account} /> <small>counts; weighs {countText(of.weight)}</small>
      through its active authority: <Weight of={of.by} />
    </>
  );
}
