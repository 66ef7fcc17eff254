import Type from 'typebox';
import { vector } from '../../codec/collections.ts';
import { text } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { accountRecord, accountRecordOf, accountRecords, type AccountRecord } from '../../state/records/account.ts';
import { coins, type ChainParameters } from '../../state/parameters.ts';
import { accountsOfEach, namesMeant } from '../account_lookup.ts';
import { accountText, pendingFlag } from '../members.ts';
import { method } from '../method.ts';
import { LARGEST_PAGE } from '../paging.ts';
import { coded } from '../params.ts';

/** The record with three members that are always empty on this chain. */
const walletRecord = struct({
  ...accountRecord.fields,
  vesting_balance: accountRecord.fields.balance,
  transfer_history: vector(text),
  other_history: vector(text),
});

/** The accounts of many names or seeds at once. */
export const getAccounts = method({
  name: 'alexandria_api.get_accounts',
  doc: 'The accounts of these names or seeds, in the order asked for; where there is none, there is no record.',
  params: { account_names: Type.Array(accountText, { maxItems: LARGEST_PAGE }), pending: pendingFlag },
  result: Type.Object({ accounts: Type.Array(coded(walletRecord)) }),
  example: { params: { account_names: ['alice', 'bob'] } },
  stability: 'stable',
  thread: 'read',

  handler({ account_names }, { rows, parameters }) {
    const found = accountsOfEach(rows, account_names);
    return { accounts: accountRecords(rows, parameters, found).map((record) => withEmptyMembers(parameters, record)) };
  },

  async pending({ account_names }, { rows, parameters, pendingAccounts }) {
    const names = account_names.map(namesMeant);
    const found = (await pendingAccounts(names.flat())).values();
    const first = names.flatMap((meant) => meant.map(() => found.next().value).find((account) => account !== undefined) ?? []);
    return { accounts: first.map((account) => withEmptyMembers(parameters, accountRecordOf(rows, parameters, account))) };
  },
});

function withEmptyMembers(parameters: ChainParameters, record: AccountRecord) {
  return { ...record, vesting_balance: coins(parameters, 0n), transfer_history: [], other_history: [] };
}
