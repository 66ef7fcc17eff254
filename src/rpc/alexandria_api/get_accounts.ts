import { Type } from '../../jsonrpc/envelope/typebox.ts';
import type { ValueOf } from '../../codec/codec.ts';
import { vector } from '../../codec/collections.ts';
import { speaksLineage } from '../../codec/encoding_options.ts';
import { text } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import {
  accountRecord,
  accountRecords,
  makePendingAccountRecord,
  type AccountRecord,
} from '../../queries/records/account.ts';
import { coins } from '../../state/parameters.ts';
import { accountsOfEach, namesMeant } from './account_lookup.ts';
import { accountText, pendingRecordFlag } from '../members.ts';
import { method } from '../method.ts';
import { LARGEST_PAGE } from '../../queries/paging.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import type { Call } from '../services.ts';
import { inChunks, pendingInChunks } from '../chunks.ts';

/** The record with the value of the shares, and two members that are always empty on this chain. */
const walletRecord = struct({
  ...accountRecord.fields,
  vesting_balance: accountRecord.fields.balance,
  transfer_history: vector(text),
  other_history: vector(text),
});

/** Several accounts at once, by their names or seeds. */
export const getAccounts = method({
  name: 'alexandria_api.get_accounts',
  doc: 'The accounts of these names or seeds, in the order asked for; where there is none, there is no record.',
  params: { account_names: Type.Array(accountText, { maxItems: LARGEST_PAGE }), pending: pendingRecordFlag },
  result: Type.Object({ accounts: Type.Array(coded(walletRecord)) }),
  example: { params: { account_names: ['alice', 'bob'] } },
  stability: 'stable',
  weight: { item: 0.5 },
  // As long as a body may be.
  paramsBytes: Infinity,
  thread: 'read',

  handler({ account_names }, call) {
    const findRecords = (texts: readonly string[]): (ValueOf<typeof walletRecord> | undefined)[] =>
      accountRecords(call, accountsOfEach(call, texts)).map((record) => record && makeWalletRecord(record, call));
    return { accounts: inChunks(call, account_names, findRecords) };
  },

  async pending({ account_names }, call) {
    const { encoding } = call;
    const found = await pendingInChunks(
      call,
      account_names.flatMap((given) => namesMeant(encoding, given)),
    );
    const findRecord = (given: string): ValueOf<typeof walletRecord> | undefined => {
      const account = namesMeant(encoding, given)
        .map((name) => found.get(name))
        .find((known) => known !== undefined);
      return account && makeWalletRecord(makePendingAccountRecord(call, account), call);
    };
    return { accounts: inChunks(call, account_names, (texts) => texts.map(findRecord)) };
  },
});

/** A vesting share is worth one coin; the lineage left the member at 0. */
function makeWalletRecord(record: AccountRecord, { parameters, encoding }: Call): ValueOf<typeof walletRecord> {
  const worth = speaksLineage(encoding) ? 0n : record.vesting_shares.amount;
  return { ...record, vesting_balance: coins(parameters, worth), transfer_history: [], other_history: [] };
}
