import { ByteWriter, type ByteReader } from '../codec/bytes.ts';
import type { Codec, PlainOf, ValueOf } from '../codec/codec.ts';
import { describeTuple, orderedSet } from '../codec/collections.ts';
import type { Json } from '../codec/json.ts';
import { mismatch } from '../codec/decode_error.ts';
import { speaksLineage, type EncodingOptions } from '../codec/encoding_options.ts';
import { struct } from '../codec/struct.ts';
import { sha224Hex, sha256 } from '../crypto/hashes.ts';
import { accountName, canonicalName, type AccountName } from '../values/account_name.ts';
import { getBlockNumber, hash160, signature, type BlockId } from '../values/hash.ts';
import { time, type Seconds } from '../values/time.ts';
import { version, type Version } from '../values/version.ts';

/** A report of a producer about its software: the version that runs, and the hardfork that it votes for. */
export type HeaderExtension =
  | { readonly index: 0 }
  | { readonly index: 1; readonly version: Version }
  | { readonly index: 2; readonly hf_version: Version; readonly hf_time: Seconds };

const vote = struct({ hf_version: version, hf_time: time });

/** The same as JSON. */
type PlainExtension = readonly [0, {}] | readonly [1, string] | readonly [2, PlainOf<typeof vote>];

const headerExtension: Codec<HeaderExtension, PlainExtension> = {
  write(out, value) {
    out.varint(value.index);
    if (value.index === 1) version.write(out, value.version);
    if (value.index === 2) vote.write(out, value);
  },
  read: readExtension,
  toJson(value, encoding): Json {
    if (value.index === 1) return [1, version.toJson(value.version, encoding)];
    return value.index === 2 ? [2, vote.toJson(value, encoding)] : [0, {}];
  },
  fromJson: extensionFromJson,
  initial: () => ({ index: 0 }),
  describe: (encoding) => ({
    anyOf: [
      encoding.describesGiven === true ? {} : { type: 'object' },
      version.describe(encoding),
      vote.describe(encoding),
    ].map((value, index) => describeTuple({ const: index }, value)),
  }),
};

function readExtension(input: ByteReader): HeaderExtension {
  const index = input.varint();
  if (index === 0) return { index };
  if (index === 1) return { index, version: version.read(input) };
  if (index === 2) return { index, ...vote.read(input) };
  return input.refuse('a header extension of an unknown kind');
}

function extensionFromJson(json: Json, encoding: EncodingOptions): HeaderExtension {
  const [index = null, value = null] =
    Array.isArray(json) && (json.length === 2 || speaksLineage(encoding)) ? json : [];
  if (index === 0) return { index };
  if (index === 1) return { index, version: version.fromJson(value, encoding) };
  if (index === 2) return { index, ...vote.fromJson(value, encoding) };
  return mismatch('a header extension', json);
}

/**
 * The producer's name as read, without the normalisation used elsewhere: `-` and `_` stay
 * (wire_format.md#account-names).
 */
const witnessName: Codec<AccountName, string> = {
  write: (out, name) => out.text(name),
  read: (input) => canonicalName(input.text()) ?? input.refuse('an account name consists of nothing but A'),
  toJson: (name) => name,
  fromJson: (json, encoding) => accountName.fromJson(json, encoding),
  initial: () => '',
  describe: accountName.describe,
};

const members = {
  previous: hash160,
  timestamp: time,
  witness: witnessName,
  transaction_merkle_root: hash160,
  extensions: orderedSet(headerExtension, (a, b) => a.index - b.index),
} as const;

/** The part that the witness signs (wire_format.md#blocks). */
export const blockHeader = struct(members);
/** The signed header, whose id the next block refers to. */
export const signedBlockHeader = struct({ ...members, witness_signature: signature });

export type BlockHeader = ValueOf<typeof blockHeader>;
export type SignedBlockHeader = ValueOf<typeof signedBlockHeader>;

/** The largest size of a block without its transactions: longest name, both extensions, longest count. */
export const LARGEST_HEADER_BYTES = 20 + 4 + (1 + 32) + 20 + (1 + 5 + 9) + 65 + 5;

const scratch = new ByteWriter(512);

/** The sha256 of the header, which the witness signs; it does not include the chain id. */
export function headerDigest(header: BlockHeader): Uint8Array {
  scratch.reset();
  blockHeader.write(scratch, header);
  return sha256(scratch.view());
}

/**
 * Returns whether two headers are of the same block: some chains accept several forms of its signature
 * (wire_format.md#signatures).
 */
export function isSameBlock(one: BlockHeader, other: BlockHeader): boolean {
  return Buffer.compare(headerDigest(one), headerDigest(other)) === 0;
}

/** The version of the software that made the block, where its header says so. */
export function makerVersion({ extensions }: Pick<BlockHeader, 'extensions'>): Version | undefined {
  return extensions.find((extension) => extension.index === 1)?.version;
}

/** The number of a block: one more than that of the previous block. */
export function headerNumber(header: BlockHeader): number {
  return getBlockNumber(header.previous) + 1;
}

/** sha224 of the signed header, its first four bytes replaced by the number, cut to 20 bytes. */
export function blockId(header: SignedBlockHeader): BlockId {
  scratch.reset();
  signedBlockHeader.write(scratch, header);
  return packedBlockId(headerNumber(header), scratch.view());
}

/** The same from the bytes of the signed header. */
export function packedBlockId(number: number, header: Uint8Array): BlockId {
  return number.toString(16).padStart(8, '0') + sha224Hex(header).slice(8, 40);
}
