import type { ValueOf } from '../../codec/codec.ts';
import { u64Key } from '../../codec/key.ts';
import { u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName, nameKey } from '../../values/account_name.ts';
import { time } from '../../values/time.ts';

const row = struct({
  id: u64,
  buyer: accountName,
  app_id: u64,
  created: time,
});

export type ApplicationBuying = ValueOf<typeof row>;

/** Purchases of applications by accounts. */
export const applicationBuyings = table({
  name: 'application_buying',
  value: row,
  key: { buyer: nameKey, app_id: u64Key },
  indexes: {
    by_app_id: {
      parts: [u64Key, u64Key],
      of: (buying: ApplicationBuying) => [buying.app_id, buying.id] as const,
      writable: true,
      unique: true,
    },
    by_buyer: {
      parts: [nameKey, u64Key],
      of: (buying: ApplicationBuying) => [buying.buyer, buying.id] as const,
      unique: true,
    },
  },
});
