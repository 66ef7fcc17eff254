import { ByteReader } from '../codec/bytes.ts';
import { operationBody } from '../operations/operation.ts';
import { witnessSetProperties } from '../operations/witness_set_properties.ts';
import type { AccountName } from '../values/account_name.ts';
import type { PublicKey } from '../values/public_key.ts';
import type { Seconds } from '../values/time.ts';
import { packTransaction, readTransaction, type PackedTransaction, type SignedTransaction } from './transaction.ts';

/**
 * A witness's change of its signing key, signed with the present one: what a standby sends when the witness is gone.
 */
export interface KeySwitch {
  readonly owner: AccountName;
  /** The present signing key. */
  readonly key: PublicKey;
  /** The standby's. */
  readonly newKey: PublicKey;
  /** The operation is free, but its fee of nothing has a symbol. */
  readonly feeSymbol: string;
  readonly ref_block_num: number;
  readonly ref_block_prefix: number;
  readonly expiration: Seconds;
}

const KEY_DIGITS = 66;

/** The transaction that says no more than this. */
export function keySwitchTransaction(terms: KeySwitch): SignedTransaction {
  const { owner, key, newKey, feeSymbol, ref_block_num, ref_block_prefix, expiration } = terms;
  const operation = witnessSetProperties.of({
    fee: { amount: 0n, symbol: feeSymbol },
    owner,
    props: [
      ['key', key],
      ['new_signing_key', newKey],
    ],
    extensions: [],
  });
  return { ref_block_num, ref_block_prefix, expiration, operations: [operation], extensions: [], signatures: [] };
}

/**
 * A packed switch with one signature; undefined for bytes that are anything else. Who has signed it is not looked at.
 */
export function readKeySwitch(
  bytes: Uint8Array,
): { readonly terms: KeySwitch; readonly packed: PackedTransaction } | undefined {
  const input = new ByteReader(bytes);
  const packed = readTransaction(input);
  input.expectEnd();
  const { ref_block_num, ref_block_prefix, expiration, operations, signatures } = packed.transaction;
  const [operation] = operations;
  const body = operation && operationBody(witnessSetProperties, operation);
  if (body === undefined || signatures.length !== 1) return undefined;
  const [key = '', newKey = ''] = body.props.map(([, value]) => value);
  if (key.length !== KEY_DIGITS || newKey.length !== KEY_DIGITS) return undefined;
  const terms = {
    owner: body.owner,
    key,
    newKey,
    feeSymbol: body.fee.symbol,
    ref_block_num,
    ref_block_prefix,
    expiration,
  };
  // Any other member would make other bytes.
  const same = packTransaction({ ...keySwitchTransaction(terms), signatures });
  return Buffer.compare(same.packed, bytes) === 0 ? { terms, packed } : undefined;
}
