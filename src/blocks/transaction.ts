import { refusals } from '../base/refusal.ts';
import { ByteReader, ByteWriter } from '../codec/bytes.ts';
import { copying, type ValueOf } from '../codec/codec.ts';
import { vector } from '../codec/collections.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import type { PlainJson } from '../codec/plain_json.ts';
import { u16, u32 } from '../codec/primitives.ts';
import { struct } from '../codec/struct.ts';
import { sha256Binary, sha256Hex } from '../crypto/hashes.ts';
import { operationCodec } from '../operations/index.ts';
import { extensions } from '../values/extensions.ts';
import { ID_DIGITS, signature, type Digest, type TransactionId } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';
import { time } from '../values/time.ts';

const refuse = refusals({
  signatures_written_otherwise:
    'the signatures are not in the bytes that nodes write for them; write their number in as few as it needs',
});

const members = {
  ref_block_num: u16,
  ref_block_prefix: u32,
  expiration: time,
  operations: vector(operationCodec),
  extensions,
} as const;

/** The part that is signed (wire_format.md#transactions). */
export const transaction = struct(members);
const signatures = vector(signature);
/** The wire form: the transaction and its signatures. */
export const signedTransaction = struct({ ...members, signatures });

export type Transaction = ValueOf<typeof transaction>;
export type SignedTransaction = ValueOf<typeof signedTransaction>;

/** A signed transaction with everything derived from its bytes, computed only once. */
export interface PackedTransaction {
  readonly transaction: SignedTransaction;
  /** The signed form, as contained in blocks. */
  readonly packed: Uint8Array;
  /** The length of the unsigned form, with which these bytes begin. */
  readonly unsignedBytes: number;
  /** The first 20 bytes of the sha256 of the unsigned form, so signatures do not affect it. */
  readonly id: TransactionId;
  /** The sha256 of the signed form, a leaf of the block's Merkle tree. */
  readonly leaf: Digest;
}

/** A transaction with its recovered signers. */
export interface VerifiedTransaction extends PackedTransaction {
  /** The key of each signature, in order; undefined where no key can have made it. */
  readonly signers: readonly (PublicKey | undefined)[];
}

/** The id of a transaction, for `map`. */
export function idOf({ id }: Pick<PackedTransaction, 'id'>): TransactionId {
  return id;
}

const NOBODY: readonly never[] = [];
const scratch = new ByteWriter(4096);

/** Packs a transaction and hashes it. */
export function packTransaction(value: SignedTransaction): PackedTransaction {
  if (value instanceof CopiedTransaction) return hashed(value, value.packed, value.unsignedBytes);
  const unsignedBytes = writeToScratch(value);
  return hashed(value, scratch.finish(), unsignedBytes);
}

/** Writes the signed form; returns the length of the unsigned one, with which it begins. */
function writeToScratch(value: SignedTransaction): number {
  scratch.reset();
  transaction.write(scratch, value);
  const unsignedBytes = scratch.length;
  signatures.write(scratch, value.signatures);
  return unsignedBytes;
}

/** The same transaction with these bytes after the unsigned form: the number of signatures and the signatures. */
export function withSignatureBytes({ packed, unsignedBytes }: PackedTransaction, bytes: Uint8Array): PackedTransaction {
  const whole = Buffer.concat([packed.subarray(0, unsignedBytes), bytes]);
  return packTransaction(new CopiedTransaction(whole, unsignedBytes));
}

/** The bytes of the signatures that were copied last; 0 if the text had none. */
let copiedSignatureBytes = 0;
/** The wire form of a text whose signatures may stand anywhere: as bytes they are the last. */
const copiedTransaction = struct({
  ...members,
  signatures: {
    ...signatures,
    fromJson: copying(
      (json, encoding) => signatures.fromJson(json, encoding),
      (from, out, encoding) => {
        const start = out.length;
        const isCopied = signatures.fromJson.copy?.(from, out, encoding) === true;
        copiedSignatureBytes = out.length - start;
        return isCopied;
      },
    ),
  },
});

/**
 * Copies a signed transaction from plain JSON text into its bytes without decoding its values; undefined where that is
 * not possible, which does not mean that it is invalid.
 */
export function copyTransaction(from: PlainJson, encoding: EncodingOptions): SignedTransaction | undefined {
  scratch.reset();
  copiedSignatureBytes = 0;
  const isCopied = copiedTransaction.fromJson.copy?.(from, scratch, encoding) === true;
  if (!isCopied || copiedSignatureBytes === 0) return undefined;
  return new CopiedTransaction(scratch.copy(), scratch.length - copiedSignatureBytes);
}

/** A transaction that was read from text directly into bytes: its members are decoded from these on demand. */
class CopiedTransaction implements SignedTransaction {
  readonly packed: Uint8Array;
  readonly unsignedBytes: number;
  #unsigned: Transaction | undefined;

  constructor(packed: Uint8Array, unsignedBytes: number) {
    this.packed = packed;
    this.unsignedBytes = unsignedBytes;
  }

  get ref_block_num(): number {
    return this.#read().ref_block_num;
  }

  get ref_block_prefix(): number {
    return this.#read().ref_block_prefix;
  }

  get expiration(): number {
    return this.#read().expiration;
  }

  get operations(): SignedTransaction['operations'] {
    return this.#read().operations;
  }

  get extensions(): SignedTransaction['extensions'] {
    return this.#read().extensions;
  }

  get signatures(): SignedTransaction['signatures'] {
    return signatures.read(new ByteReader(this.packed, this.unsignedBytes));
  }

  #read(): Transaction {
    this.#unsigned ??= transaction.read(new ByteReader(this.packed));
    return this.#unsigned;
  }
}

/**
 * Reads a signed transaction. Its ids are those of the bytes that we would write, not of those received: sets may come
 * in any order, but are hashed in their canonical one.
 */
export function readTransaction(input: ByteReader): PackedTransaction {
  return packTransaction(signedTransaction.read(input));
}

/**
 * The same for a transaction among other bytes, which must not change any more: where they are what we would write,
 * they are not copied.
 */
export function readPackedTransaction(bytes: Uint8Array, input: ByteReader): PackedTransaction {
  const start = input.position;
  const value = signedTransaction.read(input);
  const unsignedBytes = writeToScratch(value);
  const isAsWritten = scratch.equals(bytes, start, input.position);
  return hashed(value, isAsWritten ? bytes.subarray(start, input.position) : scratch.finish(), unsignedBytes);
}

/**
 * Reads a transaction of a peer, which is as nodes write it and has an unsigned form of that length; refuses any other.
 * Nobody can have relayed another unsigned form, since it has another id. The bytes must not change any more.
 */
export function readRelayedTransaction(bytes: Uint8Array, unsignedBytes: number): PackedTransaction {
  const input = new ByteReader(bytes);
  const value = signedTransaction.read(input);
  input.expectEnd();
  const written = writeToScratch(value);
  if (written !== unsignedBytes) input.refuse(`${written} bytes are unsigned, not ${unsignedBytes}`);
  if (scratch.equals(bytes, 0, bytes.length)) return hashed(value, bytes, unsignedBytes);
  const unsigned = scratch.view().subarray(0, unsignedBytes);
  if (Buffer.compare(unsigned, bytes.subarray(0, unsignedBytes)) === 0) refuse.signatures_written_otherwise();
  return input.refuse('the unsigned form is not as nodes write it');
}

/** Reads a signed transaction that this program has written: its bytes are taken as they are. */
export function readOwnTransaction(bytes: Uint8Array, input: ByteReader): PackedTransaction {
  const start = input.position;
  const unsigned = transaction.read(input);
  const unsignedBytes = input.position - start;
  const value = withSignatures(unsigned, signatures.read(input));
  return hashed(value, bytes.subarray(start, input.position), unsignedBytes);
}

/** The digest that the signatures sign: sha256(chain id ‖ unsigned form). */
export function signingDigest(chainId: Digest, packed: PackedTransaction): Uint8Array {
  return Buffer.from(new SigningDigests(chainId).of(packed), 'latin1');
}

/** The same for many transactions of one chain, as binary text. */
export class SigningDigests {
  readonly #message = new ByteWriter(1024);
  readonly #chainId: Uint8Array;

  constructor(chainId: Digest) {
    this.#chainId = Buffer.from(chainId, 'hex');
  }

  of({ packed, unsignedBytes }: Pick<PackedTransaction, 'packed' | 'unsignedBytes'>): string {
    this.#message.reset();
    this.#message.bytes(this.#chainId);
    this.#message.bytes(packed.subarray(0, unsignedBytes));
    return sha256Binary(this.#message.view());
  }
}

/** The id of a transaction, signed or not. */
export function transactionId(value: Transaction): TransactionId {
  scratch.reset();
  transaction.write(scratch, value);
  return sha256Hex(scratch.view()).slice(0, ID_DIGITS);
}

function hashed(value: SignedTransaction, packed: Uint8Array, unsignedBytes: number): PackedTransaction {
  const id = sha256Hex(packed.subarray(0, unsignedBytes)).slice(0, ID_DIGITS);
  return { transaction: value, packed, unsignedBytes, id, leaf: sha256Hex(packed) };
}

/**
 * Reads a transaction of a block that was checked before: its signers are not recovered, and its leaf is computed only
 * on demand.
 */
export function readTrustedTransaction(bytes: Uint8Array, input: ByteReader): VerifiedTransaction {
  const start = input.position;
  const unsigned = transaction.read(input);
  const unsignedEnd = input.position;
  const value = withSignatures(unsigned, signatures.read(input));
  const id = sha256Hex(bytes.subarray(start, unsignedEnd)).slice(0, ID_DIGITS);
  return new TrustedTransaction(value, bytes.subarray(start, input.position), unsignedEnd - start, id);
}

/**
 * Reads a transaction of a block that was checked before, without its signatures: half of the work of reading it all.
 */
export function readTrustedOperations(bytes: Uint8Array): {
  readonly id: TransactionId;
  readonly operations: Transaction['operations'];
} {
  const input = new ByteReader(bytes);
  const { operations } = transaction.read(input);
  return { id: sha256Hex(bytes.subarray(0, input.position)).slice(0, ID_DIGITS), operations };
}

/** A class, because an accessor in an object literal costs more than the rest of the reading. */
class TrustedTransaction implements VerifiedTransaction {
  readonly transaction: SignedTransaction;
  readonly packed: Uint8Array;
  readonly unsignedBytes: number;
  readonly id: TransactionId;
  readonly signers = NOBODY;

  constructor(value: SignedTransaction, packed: Uint8Array, unsignedBytes: number, id: TransactionId) {
    this.transaction = value;
    this.packed = packed;
    this.unsignedBytes = unsignedBytes;
    this.id = id;
  }

  get leaf(): Digest {
    return sha256Hex(this.packed);
  }
}

/** Straight-line code: a spread costs as much as an operation. */
function withSignatures(unsigned: Transaction, signed: SignedTransaction['signatures']): SignedTransaction {
  const { ref_block_num, ref_block_prefix, expiration, operations } = unsigned;
  return {
    ref_block_num,
    ref_block_prefix,
    expiration,
    operations,
    extensions: unsigned.extensions,
    signatures: signed,
  };
}
