import { unlessRefused } from '../../base/refusal.ts';
import type { VerifiedBlock } from '../../blocks/block.ts';
import type { VerifiedTransaction } from '../../blocks/transaction.ts';
import type { GivenSigningKey, Operation } from '../../operations/operation.ts';
import { accountAuthorities } from '../../state/tables/account_authority.ts';
import type { RowReader } from '../../storage/rows.ts';
import type { AccountName } from '../../values/account_name.ts';
import { NULL_KEY, type PublicKey } from '../../values/public_key.ts';

/** A signing key that an operation of a block gives a witness. */
export interface NamedKey extends GivenSigningKey {
  /**
   * The signer of the operation probably has its authority. This orders the tries of branches, and decides nothing
   * else.
   */
  readonly isLikely: boolean;
}

/** The signing keys that the operations of one block give, the oldest first. */
export interface OwnKeys {
  readonly keys: readonly NamedKey[];
  /** The block gives more keys than are remembered: it may have given any witness any key. */
  readonly isOverfull: boolean;
}

/** The signing keys that a block gives. The signers of its transactions are not checked. */
export interface NamedKeys {
  readonly keys: ReadonlyMap<AccountName, readonly NamedKey[]>;
  readonly isOverfull: boolean;
  /** The number of blocks up to this one that give keys. */
  readonly depth: number;
  readonly before: NamedKeys | undefined;
}

/**
 * The standing of a key that signed a block: it is the witness's, an operation that nobody has applied gives it, or
 * neither.
 */
export type KeyStanding = 'known' | 'likely' | 'named' | 'foreign';

/**
 * Each costs memory and one look-up of the authority that may act. A round of witnesses that all change their keys
 * twice fits.
 */
const MOST_KEYS_OF_BLOCK = 128;
/** Blocks of a branch that give keys, each of which costs a look-up for each later block. */
const MOST_NAMING_BLOCKS = 256;

/** The signing keys that a block gives, whoever signed its transactions. */
export function keysNamed({ transactions }: VerifiedBlock, head: RowReader): OwnKeys {
  const keys: NamedKey[] = [];
  for (const transaction of transactions) {
    for (const operation of transaction.transaction.operations) {
      const given = operation.signingKey();
      if (given === undefined || given.key === NULL_KEY) continue;
      if (keys.length === MOST_KEYS_OF_BLOCK) return { keys, isOverfull: true };
      keys.push({ ...given, isLikely: isProbablyAllowed(transaction, operation, head) });
    }
  }
  return { keys, isOverfull: false };
}

/** The keys that the branch gives up to a block, of which that block gives some. */
export function withNamedKeys(before: NamedKeys | undefined, own: OwnKeys): NamedKeys | undefined {
  if (own.keys.length === 0 && !own.isOverfull) return before;
  const depth = (before?.depth ?? 0) + 1;
  // Behind such a block every key is possible, so nothing more has to be remembered.
  if (before?.isOverfull === true && depth > MOST_NAMING_BLOCKS) return before;
  const keys = new Map<AccountName, NamedKey[]>();
  for (const named of own.keys) keys.set(named.witness, [...(keys.get(named.witness) ?? []), named]);
  return { keys, isOverfull: own.isOverfull || depth > MOST_NAMING_BLOCKS, depth, before };
}

/**
 * Finds the standing of a key that signed a block on a branch for a witness; `known` finds the witness's key at the
 * branch point.
 */
export function keyStanding(
  named: NamedKeys | undefined,
  { witness, key }: GivenSigningKey,
  known: () => PublicKey | undefined,
): KeyStanding {
  if (known() === key) return 'known';
  let standing: KeyStanding = 'foreign';
  for (let at = named; at !== undefined; at = at.before) {
    const found = at.keys.get(witness)?.find((one) => one.key === key);
    if (found !== undefined && standing !== 'likely') standing = found.isLikely ? 'likely' : 'named';
    if (at.isOverfull && standing === 'foreign') standing = 'named';
  }
  return standing;
}

/**
 * Returns whether a signer is one of those that the operation asks for, by the rows of another branch. That is mostly
 * right, and only a hint.
 */
function isProbablyAllowed({ signers }: VerifiedTransaction, operation: Operation, head: RowReader): boolean {
  const { active = [], owner = [], other = [] } = unlessRefused(() => operation.authorities()) ?? {};
  const isSigned = (keys: readonly (readonly [PublicKey, number])[]): boolean =>
    keys.some(([key]) => signers.includes(key));
  if (other.some(({ key_auths }) => isSigned(key_auths))) return true;
  return [...active, ...owner].some((name) => {
    const row = head.get(accountAuthorities, name);
    return row !== undefined && (isSigned(row.active.key_auths) || isSigned(row.owner.key_auths));
  });
}
