import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { refusals } from '../../base/refusal.ts';
import { askedSigners, requiredAuthorities, type Required } from '../../blocks/authority_check.ts';
import { authorityWalkRefusals } from '../../blocks/authority_walk.ts';
import { packTransaction } from '../../blocks/transaction.ts';
import { speaksLineage } from '../../codec/encoding_options.ts';
import { requireTransactionSize, transactionSizeRefusals } from '../../blocks/transaction_size.ts';
import { accountAuthorities, type AccountAuthority } from '../../state/tables/account_authority.ts';
import type { CommittedRows } from '../../storage/rows.ts';
import type { AccountName } from '../../values/account_name.ts';
import type { Authority } from '../../values/authority.ts';
import { compareKeys, NULL_KEY, publicKey, type PublicKey } from '../../values/public_key.ts';
import { longTexts } from '../../operations/index.ts';
import { unknownAccountRefusals } from '../../state/lookups.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { sampleTransaction } from '../sample_transaction.ts';
import { readAuthorities } from '../read_authorities.ts';
import { givenTransaction } from '../transactions.ts';

const refuse = refusals({
  unknown_approving_account: {
    text: 'the transaction asks for a signature of {account}, and no account is named so',
    lineage: 'approving_account_objects.size() == v_approving_account_names.size(): ',
  },
});

/** The signatures that a transaction requires. */
export const getRequiredSignatures = method({
  name: 'alexandria_api.get_required_signatures',
  doc: 'The keys of all authorities that a transaction asks for, those of the accounts within them included, ascending.',
  params: { tx: coded(givenTransaction) },
  result: Type.Object({ required_signatures: Type.Array(coded(publicKey)) }),
  example: { params: { tx: sampleTransaction } },
  stability: 'stable',
  refuses: {
    ...refuse.texts,
    ...unknownAccountRefusals,
    ...transactionSizeRefusals,
    ...authorityWalkRefusals,
    ...longTexts,
  },
  // A signature takes about as long as a small read.
  weight: { call: 2, item: 1 },
  thread: 'writer',
  changes: false,

  async handler({ tx }, call) {
    const { rows, parameters, encoding } = call;
    // Each operation can require an account with hundreds of keys.
    requireTransactionSize(packTransaction(tx).packed, parameters);
    const required = requiredAuthorities(tx.operations, parameters.rules);
    const asked = authoritiesAsked(rows, required);
    const keys = speaksLineage(encoding)
      ? listKeys(asked)
      : askedSigners(await readAuthorities(call, required), required, []);
    return { required_signatures: keys };
  },
});

/** The directly required authorities; refused where one of the accounts does not exist. */
function authoritiesAsked(rows: CommittedRows, { active, owner, other }: Required): Authority[] {
  return [
    ...findAuthorities(rows, active).map((row) => row.active),
    ...findAuthorities(rows, owner).map((row) => row.owner),
    ...other,
  ];
}

/** The lineage did not follow the accounts within authorities. */
function listKeys(authorities: readonly Authority[]): PublicKey[] {
  const keys = new Set(authorities.flatMap(({ key_auths }) => key_auths.map(([key]) => key)));
  keys.delete(NULL_KEY);
  return [...keys].toSorted(compareKeys);
}

function findAuthorities(rows: CommittedRows, names: readonly AccountName[]): AccountAuthority[] {
  // One by one: the walk through them reads them again, from memory then.
  return names.map((account) => rows.get(accountAuthorities, account) ?? refuse.unknown_approving_account({ account }));
}
