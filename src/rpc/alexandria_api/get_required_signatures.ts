import Type from 'typebox';
import { refusals } from '../../base/refusal.ts';
import { requiredOf } from '../../blocks/authority_check.ts';
import { packTransaction } from '../../blocks/transaction.ts';
import { requireTransactionSize, transactionSizeRefusals } from '../../blocks/transaction_size.ts';
import { accountAuthorities, type AccountAuthority } from '../../state/tables/account_authority.ts';
import type { CommittedRows } from '../../storage/rows.ts';
import type { AccountName } from '../../values/account_name.ts';
import { compareKeys, NULL_KEY, publicKey } from '../../values/public_key.ts';
import { method } from '../method.ts';
import { coded } from '../params.ts';
import { sampleTransaction } from '../sample_transaction.ts';
import { givenTransaction } from '../transactions.ts';

const refuse = refusals({ unknown_approving_account: 'approving_account_objects.size() == v_approving_account_names.size(): ' });

/** Whose signatures a transaction asks for. */
export const getRequiredSignatures = method({
  name: 'alexandria_api.get_required_signatures',
  doc: 'The keys of all authorities that a transaction asks for directly, ascending; accounts within authorities are not followed.',
  params: { tx: coded(givenTransaction) },
  result: Type.Object({ required_signatures: Type.Array(coded(publicKey)) }),
  example: { params: { tx: sampleTransaction } },
  stability: 'stable',
  refuses: { ...refuse.texts, ...transactionSizeRefusals },
  thread: 'read',

  handler({ tx }, { rows, parameters }) {
    // Each operation can ask for an account with hundreds of keys.
    requireTransactionSize(packTransaction(tx).packed, parameters);
    const { active, owner, other } = requiredOf(tx.operations, parameters.rules);
    const asked = [
      ...authoritiesOf(rows, active).map((row) => row.active),
      ...authoritiesOf(rows, owner).map((row) => row.owner),
      ...other,
    ];
    const keys = new Set(asked.flatMap(({ key_auths }) => key_auths.map(([key]) => key)));
    keys.delete(NULL_KEY);
    return { required_signatures: [...keys].toSorted(compareKeys) };
  },
});

function authoritiesOf(rows: CommittedRows, names: readonly AccountName[]): AccountAuthority[] {
  return rows.getMany(accountAuthorities, names).map((row, k) => row ?? refuse.unknown_approving_account({ account: names[k] ?? '' }));
}
