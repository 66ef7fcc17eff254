import { Type } from '../jsonrpc/envelope/typebox.ts';

/**
 * An account by its name or by its seed; a seed has at most 32 bytes, but may have been longer before the first
 * hardfork.
 */
export const accountText = Type.String({
  maxLength: 256,
  description: 'name of an account, or the seed that its name was made from',
});

/** Selects the state with all accepted transactions applied, instead of that of the last block. */
export const pendingFlag = Type.Optional(
  Type.Boolean({ description: 'with all accepted transactions applied; otherwise as of the last block' }),
);

/** The same for whole records. An account may have many votes and sponsored accounts, and only blocks list them. */
export const pendingRecordFlag = Type.Optional(
  Type.Boolean({
    description:
      'with all accepted transactions applied, but witness_votes and sponsored_accounts as of the last block; otherwise all as of the last block',
  }),
);

/** The maximum age of the head block, in seconds, at which a transaction is accepted; negative for any. */
export const anyBlockAge = Type.Integer({
  default: -1,
  minimum: -0x8000_0000,
  maximum: 0x7fff_ffff,
  description: 'seconds; negative for any age',
});
