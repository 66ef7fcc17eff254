import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';

/** A simple transfer costs this on every Ethereum chain (Yellow Paper, appendix G). */
const TRANSFER_GAS = 21_000n;

/** A transfer of one wei. */
export interface EthereumTransfer {
  readonly secret: Uint8Array;
  readonly chainId: bigint;
  readonly nonce: bigint;
  readonly gasPrice: bigint;
  /** 20 bytes. */
  readonly to: Uint8Array;
}

/** The signed bytes as hex with `0x`: a transaction of the first form, signed as EIP-155 says. */
export function signedTransfer({ secret, chainId, nonce, gasPrice, to }: EthereumTransfer): string {
  const fields = [integer(nonce), integer(gasPrice), integer(TRANSFER_GAS), to, integer(1n), new Uint8Array()];
  const digest = keccak_256(list([...fields, integer(chainId), integer(0n), integer(0n)]));
  const signature = secp256k1.sign(digest, secret, { prehash: false, format: 'recovered' });
  const [recoveryId = 0] = signature;
  const v = chainId * 2n + 35n + BigInt(recoveryId);
  const signed = [v, toInteger(signature.subarray(1, 33)), toInteger(signature.subarray(33))].map(integer);
  return `0x${Buffer.from(list([...fields, ...signed])).toString('hex')}`;
}

/** The 20 bytes by which Ethereum knows a key. */
export function deriveAddress(secret: Uint8Array): Uint8Array {
  return keccak_256(secp256k1.getPublicKey(secret, false).subarray(1)).subarray(12);
}

function toInteger(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

/** Without leading zeros, as recursive length prefixes want integers. */
function integer(value: bigint): Uint8Array {
  const digits = value === 0n ? '' : value.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
}

function list(fields: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(fields.map(text));
  return Buffer.concat([prefix(0xc0, content.length), content]);
}

function text(bytes: Uint8Array): Uint8Array {
  const [first = 0x80] = bytes;
  return bytes.length === 1 && first < 0x80 ? bytes : Buffer.concat([prefix(0x80, bytes.length), bytes]);
}

function prefix(base: number, length: number): Uint8Array {
  if (length < 56) return Uint8Array.of(base + length);
  const bytes = integer(BigInt(length));
  return Uint8Array.of(base + 55 + bytes.length, ...bytes);
}
