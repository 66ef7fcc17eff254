import { assert, present } from '../../base/assert.ts';
import { signTransaction } from '../../blocks/sign_transaction.ts';
import { packTransaction, signingDigest, transaction, type SignedTransaction } from '../../blocks/transaction.ts';
import { ByteWriter } from '../../codec/bytes.ts';
import type { Codec } from '../../codec/codec.ts';
import { text, u16, u32 } from '../../codec/primitives.ts';
import { secretOfSeed } from '../../crypto/brain_key.ts';
import { sha256 } from '../../crypto/hashes.ts';
import { derivePublicKey } from '../../crypto/keys.ts';
import { transfer } from '../../operations/transfer.ts';
import { accountName } from '../../values/account_name.ts';
import { asset } from '../../values/asset.ts';
import { blockReference } from '../../values/block_reference.ts';
import type { Profile } from '../../values/profile.ts';
import { publicKeyText } from '../../values/public_key.ts';
import { time, timeText } from '../../values/time.ts';

/** Some bytes of a transaction, and what they say. */
export interface SaidBytes {
  readonly member: string;
  readonly value: string;
  readonly hex: string;
  readonly form: string;
}

/** A transaction from its values to its signature, all of it computed by the code that nodes and wallets run. */
export interface WorkedExample {
  readonly chainId: string;
  readonly seed: string;
  readonly publicKey: string;
  readonly blockId: string;
  readonly parts: readonly SaidBytes[];
  readonly unsigned: string;
  readonly id: string;
  readonly digest: string;
  readonly signature: string;
  readonly signed: string;
  readonly leaf: string;
}

const SEED = 'alice';
const CHAIN = 'example';
/** Block 42, which the transaction refers to. */
const BLOCK_ID = '0000002a112233445566778899aabbccddeeff00';
const SECONDS = 1_767_225_630;

/** The example with the symbols of a chain's profile. */
export function workedExample({ coinSymbol, keyPrefix }: Pick<Profile, 'coinSymbol' | 'keyPrefix'>): WorkedExample {
  const body = {
    fee: { amount: 10_000n, symbol: coinSymbol },
    from: 'alice',
    to: 'bob',
    amount: { amount: 1_000_000n, symbol: coinSymbol },
    memo: 'hello',
  };
  const reference = blockReference(BLOCK_ID);
  const unsigned: SignedTransaction = {
    ...reference,
    expiration: SECONDS,
    operations: [transfer.of(body)],
    extensions: [],
    signatures: [],
  };
  const chainId = toHex(sha256(Buffer.from(CHAIN)));
  const secret = secretOfSeed(SEED);
  const signed = present(signTransaction(chainId, unsigned, [secret]), 'a signature of a secret that is a key');
  const packed = packTransaction(signed);
  const signature = present(signed.signatures[0], 'a signature');

  const part = <T>(member: string, codec: Codec<T>, value: T, shown: string, form: string): SaidBytes => ({
    ...{ member, value: shown, form },
    hex: writtenHex((out) => codec.write(out, value)),
  });
  const money = (
    member: string,
    value: { readonly amount: bigint; readonly symbol: string },
    shown: string,
  ): SaidBytes => part(member, asset, value, shown, 'amount in 8 bytes, then the symbol, filled with zeros to 8 bytes');
  const named = (member: string, value: string): SaidBytes =>
    part(member, accountName, value, value, 'length, then the characters');
  const parts = [
    part(
      'ref_block_num',
      u16,
      reference.ref_block_num,
      String(reference.ref_block_num),
      '2 bytes: the low 16 bits of the number of a block',
    ),
    part(
      'ref_block_prefix',
      u32,
      reference.ref_block_prefix,
      String(reference.ref_block_prefix),
      '4 bytes: bytes 4 to 7 of the id of that block',
    ),
    part('expiration', time, SECONDS, timeText(SECONDS), '4 bytes: seconds since 1970, UTC'),
    { member: 'operations', value: '1 operation', hex: '01', form: 'number of operations' },
    { member: 'kind', value: transfer.name, hex: '00', form: 'number of the kind of operation' },
    money('fee', body.fee, `0.010000 ${coinSymbol}`),
    named('from', body.from),
    named('to', body.to),
    money('amount', body.amount, `1.000000 ${coinSymbol}`),
    part('memo', text, body.memo, body.memo, 'length in bytes, then UTF-8'),
    { member: 'extensions', value: 'none', hex: '00', form: 'number of extensions' },
  ];
  const whole = writtenHex((out) => transaction.write(out, unsigned));
  assert(parts.map(({ hex }) => hex).join('') === whole, 'the parts are the whole');
  return {
    ...{ chainId, seed: SEED, blockId: BLOCK_ID, parts, signature, unsigned: whole },
    publicKey: publicKeyText(toHex(present(derivePublicKey(secret), 'a key of a seed')), keyPrefix),
    id: packed.id,
    digest: toHex(signingDigest(chainId, packed)),
    signed: toHex(packed.packed),
    leaf: packed.leaf,
  };
}

function writtenHex(write: (out: ByteWriter) => void): string {
  const out = new ByteWriter();
  write(out);
  return toHex(out.finish());
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
