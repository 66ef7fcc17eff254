import { AccountLink, AccountLinks, Key } from './parts.tsx';
import { authorityShares, type AuthorityShare } from '../../client/authority_shares.ts';
import type { ShownAuthority } from '../../client/authority_weights.ts';
import { countText, counted } from '../../values/words.ts';

interface PictureProps {
  readonly authority: ShownAuthority;
  /** Other accounts of a key, by the key; undefined until the node has told. */
  readonly otherUses: ReadonlyMap<string, readonly string[]> | undefined;
}

/** An authority as a bar of weights with its threshold, and its members with theirs. */
export function AuthorityPicture({ authority, otherUses }: PictureProps) {
  const { weight_threshold: threshold } = authority;
  const { shares, thresholdAt, total } = authorityShares(authority);
  if (threshold === 0) return <>anybody: it asks for no signature</>;
  if (shares.length === 0) return <>nobody: no key is left</>;
  const isEachAlone = shares.every(({ weight }) => weight >= threshold);
  return (
    <div class="authority">
      <p>
        {isEachAlone
          ? shares.length === 1
            ? 'One signer, who suffices alone.'
            : `Any one of ${counted(shares.length, 'signer')} suffices.`
          : `Needs a weight of ${countText(threshold)}. ${counted(shares.length, 'signer')} together have ${countText(total)}.`}
        {total < threshold && ' That is too little: nobody can sign.'}
      </p>
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        {shares.map(({ name, from, width }) => (
          <rect key={name} x={from} y="2" width={width} height="6" />
        ))}
        <line x1={thresholdAt} x2={thresholdAt} y1="0" y2="10" />
      </svg>
      <ul class="ids">
        {shares.map((share) => (
          <li key={share.name}>
            <Signer share={share} />
            {!isEachAlone && (
              <small>
                {' '}
                weighs {countText(share.weight)} of {countText(threshold)}
              </small>
            )}
            {share.isKey && <OtherUses of={otherUses?.get(share.name)} />}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Signer({ share: { name, isKey } }: { readonly share: AuthorityShare }) {
  return isKey ? (
    <Key text={name} />
  ) : (
    <>
      the account <AccountLink name={name} />
    </>
  );
}

/** The names that fit into a line; the search of the key has all. */
const MOST_NAMES = 5;

/** Other accounts with this key. */
export function OtherUses({ of }: { readonly of: readonly string[] | undefined }) {
  if (of === undefined || of.length === 0) return null;
  const more = of.length - MOST_NAMES;
  return (
    <small class="uses">
      also acts for <AccountLinks of={of.slice(0, MOST_NAMES)} />
      {more > 0 && ` and ${countText(more)} more`}
    </small>
  );
}
