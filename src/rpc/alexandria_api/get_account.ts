import { Type } from '../../jsonrpc/envelope/typebox.ts';
import {
  accountRecord,
  makeAccountRecord,
  makePendingAccountRecord,
  accountRowsMeant,
  accountRowsNamed,
  type AccountRecord,
  type AccountRows,
} from '../../queries/records/account.ts';
import { accountRefusals, namesMeant, refuseUnknownAccount } from './account_lookup.ts';
import { method } from '../method.ts';
import { accountText, pendingRecordFlag } from '../members.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import type { Call } from '../services.ts';

/** The account with this name, and the one whose name was made from this text as a seed. */
export const getAccount = method({
  name: 'alexandria_api.get_account',
  doc: 'The account of that name, and the account whose name was made from that text as a seed: one or two records.',
  params: { account_name: accountText, pending: pendingRecordFlag },
  result: Type.Object({ account: Type.Array(coded(accountRecord)) }),
  example: { params: { account_name: 'alice' } },
  stability: 'stable',
  refuses: { unknown_account: accountRefusals.unknown_account },
  thread: 'read',
  handler: ({ account_name }, call) => shown(account_name, committedRows(account_name, call), call, makeAccountRecord),
  async pending({ account_name }, call) {
    const meant = await call.intake.pendingAccounts(namesMeant(call.encoding, account_name));
    return call.rows.consistentRead(() => shown(account_name, meant, call, makePendingAccountRecord));
  },
});

function committedRows(text: string, { rows, parameters, encoding }: Call): (AccountRows | undefined)[] {
  const names = namesMeant(encoding, text);
  const [name, generated] = names;
  return name === undefined || generated === undefined
    ? accountRowsNamed(rows, parameters, names)
    : accountRowsMeant(rows, parameters, name, generated);
}

function shown(
  text: string,
  meant: readonly (AccountRows | undefined)[],
  call: Call,
  makeRecord: (call: Call, account: AccountRows) => AccountRecord,
): { readonly account: AccountRecord[] } {
  const found = meant.filter((account) => account !== undefined);
  if (found.length === 0) refuseUnknownAccount(text);
  return { account: found.map((account) => makeRecord(call, account)) };
}
