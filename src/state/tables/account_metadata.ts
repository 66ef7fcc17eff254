import type { ValueOf } from '../../codec/codec.ts';
import { text } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName, nameKey } from '../../values/account_name.ts';

const row = struct({
  account: accountName,
  json_metadata: text,
});

export type AccountMetadata = ValueOf<typeof row>;

/** The metadata of accounts: supposed to be JSON, but historical data contains any text. */
export const accountMetadata = table({
  name: 'account_metadata',
  value: row,
  key: { account: nameKey },
});
