import type { CountedMember, ReachedWeight } from '../../client/authority_weights.ts';
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

/** A weight and its threshold, with the keys and accounts that it comes from. */
function Weight({ of: { weight, threshold, members } }: { readonly of: ReachedWeight }) {
  return (
    <>
      weight {countText(weight)}, and {countText(threshold)} is needed
      <ul class="ids">
        {members.map((member) => (
          <li key={'key' in member ? member.key : member.account}>
            <Member of={member} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Member({ of }: { readonly of: CountedMember }) {
  return 'key' in of ? (
    <>
      <Key text={of.key} /> <small>weighs {countText(of.weight)}</small>
    </>
  ) : (
    <>
      the account <AccountLink name={of.account} /> <small>weighs {countText(of.weight)}</small>; its active authority:{' '}
      <Weight of={of.by} />
    </>
  );
}
