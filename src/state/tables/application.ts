import type { ValueOf } from '../../codec/codec.ts';
import { u64Key } from '../../codec/key.ts';
import { u8, u64, text } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName, nameKey } from '../../values/account_name.ts';

const row = struct({
  id: u64,
  name: accountName,
  author: accountName,
  /**
   * Its position among the applications of its author, in the order of acquisition, by creation or from another author.
   */
  author_place: u64,
  url: text,
  metadata: text,
  /** 0 permanent, 1 time-based, 2 none. */
  price_param: u8,
});

export type Application = ValueOf<typeof row>;

/** Applications by the 24 bytes of their names. */
export const applications = table({
  name: 'application',
  value: row,
  key: { name: nameKey },
  indexes: {
    by_id: {
      parts: [u64Key],
      of: (application: Application) => [application.id] as const,
      writable: true,
      unique: true,
    },
    by_author: {
      parts: [nameKey, u64Key],
      of: (application: Application) => [application.author, application.author_place] as const,
      writable: true,
      unique: true,
    },
  },
});
