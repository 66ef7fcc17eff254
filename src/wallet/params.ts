import type { Codec } from '../codec/codec.ts';
import { vector } from '../codec/collections.ts';
import type { Json } from '../codec/json.ts';
import type { AnyCodec } from '../codec/struct.ts';
import { mismatch } from '../codec/decode_error.ts';
import { i64, text } from '../codec/primitives.ts';
import { accountName, type AccountName } from '../values/account_name.ts';
import { anyJson as undecoded } from '../jsonrpc/envelope/any_json.ts';

/**
 * The name of an account that is written into a transaction. A chain with the lineage's rules reads any text as a name
 * and truncates what doesn't fit: here only a complete, valid name is accepted, so that nothing is sent to the wrong
 * account.
 */
export const chainName: Codec<AccountName> = {
  ...accountName,
  fromJson: (json, encoding) => accountName.fromJson(json, { ...encoding, readsLineage: false }),
};

/** An account in a query: its name, or the seed that its name was derived from. */
export const accountText: Codec<string> = {
  ...text,
  fromJson: (json) =>
    typeof json === 'string' && json.length <= 256 ? json : mismatch('an account name or a seed', json),
  describe: () => ({ type: 'string', description: 'account name or seed' }),
};

/** Several account names that are written into a transaction. */
export const chainNames: Codec<readonly AccountName[]> = vector(chainName);

/**
 * Params that can be read without the symbols of a chain, and are therefore checked before a password or a node is
 * asked for.
 */
export const checkedFirst: ReadonlySet<AnyCodec> = new Set<AnyCodec>([chainName, chainNames]);

/** An integer that a JavaScript number represents exactly; −1 often means the newest. */
export const position: Codec<number> = {
  write: (out, value) => i64.write(out, BigInt(value)),
  read: (input) => Number(i64.read(input)),
  toJson: (value) => value,
  fromJson(json, encoding) {
    const value = Number(i64.fromJson(json, encoding));
    return Number.isSafeInteger(value) ? value : mismatch('a smaller integer', json);
  },
  initial: () => 0,
  describe: () => ({ type: 'integer' }),
};

/** Any JSON, to be checked by the node. */
export const anyJson: Codec<Json> = { ...undecoded, describe: () => ({ description: 'JSON' }) };

/** One of the given words. */
export function wordChoice<const W extends string>(...words: readonly W[]): Codec<W> {
  const [first] = words;
  return {
    write: (out, value) => out.text(value),
    read: (input) => words.find((word) => word === input.text()) ?? input.refuse('an unknown word'),
    toJson: (value) => value,
    fromJson: (json) => words.find((word) => word === json) ?? mismatch(words.join(' or '), json),
    initial: () => first ?? mismatch('a word', null),
    describe: () => ({ type: 'string', enum: words }),
  };
}
