import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { at, listMember, numberMember, textMember, type Json } from './json.ts';
import type { Program } from './program.ts';

/** Development accounts: the secret is the sha256 of the name. */
export function testSecret(name: string): Buffer {
  return createHash('sha256').update(name).digest();
}

/** True when the owner of a secret made a signature. */
export function verifies(signature: string, digest: Uint8Array, secret: Uint8Array): boolean {
  return secp256k1.verify(Buffer.from(signature.slice(2), 'hex'), digest, secp256k1.getPublicKey(secret), {
    prehash: false,
  });
}

/** Returns the digest that signatures of an unsigned transaction sign. */
export function signingDigest(chainId: string, unsigned: Uint8Array): Buffer {
  return createHash('sha256').update(Buffer.from(chainId, 'hex')).update(unsigned).digest();
}

/** A compact recoverable signature, 130 hex digits: 31 + recovery number, r, s. */
export function sign(digest: Uint8Array, secret: Uint8Array): string {
  const recovered = secp256k1.sign(digest, secret, { prehash: false, lowS: true, format: 'recovered' });
  const first = 31 + (recovered[0] ?? 0);
  return Buffer.concat([Buffer.of(first), recovered.subarray(1)]).toString('hex');
}

/** The same signature with the other s and a first byte below 31, as other libraries write them. */
export function withOtherForm(signature: string): string {
  const bytes = Buffer.from(signature, 'hex');
  const s = secp256k1.Point.CURVE().n - BigInt(`0x${signature.slice(66)}`);
  const first = 27 + ((bytes.readUInt8(0) - 31) ^ 1);
  return first.toString(16) + signature.slice(2, 66) + s.toString(16).padStart(64, '0');
}

/** The unsigned bytes of a transaction without signatures: the node appends a count of 0. */
export async function unsignedBytes(program: Program, transaction: Json): Promise<Buffer> {
  const hex = textMember(
    await program.result('database_api.get_transaction_hex', {
      trx: { ...requireObject(transaction), signatures: [] },
    }),
    'hex',
  );
  return Buffer.from(hex.slice(0, -2), 'hex');
}

/** Seconds that a transaction here may wait: nearly as long as the chain allows, so that slowness fails no test. */
const PATIENCE_SECONDS = 3000;

/** An unsigned transaction made by hand, with the fees that the node names, on a block that no fork undoes. */
export async function makeTransaction(
  program: Program,
  operations: readonly Json[],
  secondsToLive = PATIENCE_SECONDS,
): Promise<{ readonly [name: string]: Json }> {
  const created = await program.result('alexandria_api.create_transaction', { op_vec: operations });
  const info = await program.result('alexandria_api.info');
  const headTime = Date.parse(`${textMember(info, 'info.time')}Z`) / 1000;
  return {
    ...requireObject(at(created, 'tx')),
    ...(await irreversibleReference(program)),
    expiration: timeText(headTime + secondsToLive),
  };
}

/**
 * Returns the last irreversible block as a reference: a transaction that refers to the head is void for ever when that
 * block is undone. Nothing where no block is final yet.
 */
async function irreversibleReference(program: Program): Promise<{ readonly [name: string]: Json }> {
  const { properties }: { properties: Json } = Object(
    await program.result('alexandria_api.get_dynamic_global_properties'),
  );
  const number = numberMember(properties, 'last_irreversible_block_num');
  if (number === 0) return {};
  const id = Buffer.from(
    textMember(await program.result('block_api.get_block', { block_num: number }), 'block_id'),
    'hex',
  );
  return { ref_block_num: number & 0xffff, ref_block_prefix: id.readUInt32LE(4) };
}

/** The same transaction with the signatures of these accounts' keys. */
export async function signed(
  program: Program,
  transaction: Json,
  ...names: readonly string[]
): Promise<{ readonly [name: string]: Json }> {
  const digest = signingDigest(await fetchChainId(program), await unsignedBytes(program, transaction));
  return { ...requireObject(transaction), signatures: names.map((name) => sign(digest, testSecret(name))) };
}

/** Stands in the bytes of a payment where another memo belongs. */
const OTHER_MEMO = 'a memo that the node packs';

/**
 * A signed payment whose memo the node refuses to pack: these programs write it into the bytes themselves, as any
 * client can.
 */
export async function signedWithMemo(
  program: Program,
  payment: Json,
  memo: string,
  name: string,
): Promise<{ readonly [name: string]: Json }> {
  const body = requireObject(at(payment, 'operations.0.1'));
  const withText = (text: string): { readonly [name: string]: Json } => ({
    ...requireObject(payment),
    operations: [['transfer', { ...body, memo: text }]],
  });
  const [before = '', after = ''] = (await unsignedBytes(program, withText(OTHER_MEMO)))
    .toString('latin1')
    .split(packedText(OTHER_MEMO));
  const digest = signingDigest(await fetchChainId(program), Buffer.from(before + packedText(memo) + after, 'latin1'));
  return { ...withText(memo), signatures: [sign(digest, testSecret(name))] };
}

/** The length of a text in groups of seven bits, then its bytes; each character stands for a byte. */
function packedText(text: string): string {
  const bytes = Buffer.from(text).toString('latin1');
  let length = '';
  let rest = bytes.length;
  for (; rest > 0x7f; rest >>>= 7) length += String.fromCharCode((rest & 0x7f) | 0x80);
  return length + String.fromCharCode(rest) + bytes;
}

/** Broadcasts and waits for the block; what the synchronous broadcast answers. */
export async function send(
  program: Program,
  operations: readonly Json[],
  ...names: readonly string[]
): Promise<{ readonly id: string; readonly block: number; readonly place: number }> {
  const trx = await signed(program, await makeTransaction(program, operations), ...names);
  const done = await program.result('network_broadcast_api.broadcast_transaction_synchronous', { trx });
  return { id: textMember(done, 'id'), block: numberMember(done, 'block_num'), place: numberMember(done, 'trx_num') };
}

export function transfer(from: string, to: string, amount: string, memo = ''): Json {
  return ['transfer', { fee: '0.000000 COIN', from, to, amount: `${amount} COIN`, memo }];
}

export async function fetchChainId(program: Program): Promise<string> {
  return textMember(await program.result('alexandria_api.about'), 'about.chain_id');
}

/** Millionths of a coin. */
export async function fetchBalance(program: Program, account: string): Promise<bigint> {
  const record =
    listMember(await program.result('alexandria_api.get_account', { account_name: account }), 'account')[0] ?? null;
  return BigInt(textMember(record, 'balance').replace(' COIN', '').replace('.', ''));
}

export function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}

export function requireObject(value: Json): { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}
