import { refusals } from '../../base/refusal.ts';
import { signedBlock } from '../../blocks/block.ts';
import { blockHeader, signedBlockHeader } from '../../blocks/header.ts';
import { merkleRoot } from '../../blocks/merkle.ts';
import { packTransaction, signedTransaction } from '../../blocks/transaction.ts';
import { ByteWriter } from '../../codec/bytes.ts';
import type { Codec } from '../../codec/codec.ts';
import type { ChainSymbols, EncodingOptions } from '../../codec/encoding_options.ts';
import type { Json } from '../../codec/json.ts';
import { member } from '../chain_of_node.ts';
import type { VerifiedClient } from './verified_client.ts';

const refuse = refusals({
  nothing_proves: 'nothing proves what {method} answers; there are proofs for {methods}',
  absence_not_proven: 'the node says {said}, and nothing proves that',
  answer_not_proven: 'what the node answers to {method} is not what is proven: {what} differs',
});

type Members = { readonly [member: string]: Json };

/** A call, and what a node has answered, which may be false. */
export interface AnsweredCall {
  readonly method: string;
  readonly params: Json;
  readonly answer: Json;
  /** Words of the chain as the node tells them: other ones make other bytes, which are refused. */
  readonly words: ChainSymbols;
}

type Prove = (client: VerifiedClient, call: AnsweredCall) => Promise<Json>;

const provers: Readonly<Record<string, Prove>> = {
  'alexandria_api.get_transaction': async (client, call) => ({
    tx: await proveTransaction(client, call, 'tx', 'tx_id'),
  }),
  'account_history_api.get_transaction': async (client, call) => await proveTransaction(client, call, '', 'id'),
  'transaction_status_api.find_transaction': proveStatus,
  'alexandria_api.get_block': async (client, call) => ({ block: await proveBlock(client, call, 'block', 'num') }),
  'block_api.get_block': async (client, call) => await proveBlock(client, call, '', 'block_num'),
  'block_api.get_block_header': proveHeader,
};

/** True when the answers of a method can be proven. */
export function isProvable(method: string): boolean {
  return Object.hasOwn(provers, method);
}

/**
 * The answer without what isn't proven in it: a place among transactions, a key. Refuses it where the proof says something
 * else, and where nothing proves it.
 */
export async function provenAnswer(client: VerifiedClient, call: AnsweredCall): Promise<Json> {
  return await findProver(call.method)(client, call);
}

/** Refuses a method whose answers nothing proves; asked before a call, which may change something. */
export function requireProvable(method: string): void {
  findProver(method);
}

function findProver(method: string): Prove {
  const prove = isProvable(method) ? provers[method] : undefined;
  return prove ?? refuse.nothing_proves({ method, methods: Object.keys(provers) });
}

async function proveTransaction(
  client: VerifiedClient,
  call: AnsweredCall,
  within: string,
  param: string,
): Promise<Json> {
  const { transaction_num: _place, ...shown } = findRecord(call, within);
  const proven = await client.transaction(String(member(call.params, param)));
  const packed = packedAs(signedTransaction, comparedMembers(shown, signedTransaction.fields), call.words);
  requireSame(call, 'the transaction', toHex(packed), proven.packed);
  requireSame(call, 'block_num', shown['block_num'], proven.block_num);
  requireSame(call, 'transaction_id', shown['transaction_id'], proven.id);
  return shown;
}

async function proveStatus(client: VerifiedClient, call: AnsweredCall): Promise<Json> {
  const { status, block_num } = findRecord(call, '');
  if (status !== 'final') refuse.absence_not_proven({ said: `that the transaction is ${String(status)}` });
  const proven = await client.transaction(String(member(call.params, 'transaction_id')));
  requireSame(call, 'block_num', block_num, proven.block_num);
  return { status: 'final', block_num: proven.block_num };
}

async function proveBlock(client: VerifiedClient, call: AnsweredCall, within: string, param: string): Promise<Json> {
  const { signing_key: _key, ...shown } = findRecord(call, within);
  const proven = await client.block(Number(member(call.params, param)));
  const header = packedAs(signedBlockHeader, comparedMembers(shown, signedBlockHeader.fields), call.words);
  requireSame(call, 'the header', toHex(header), proven.packed);
  const block = signedBlock.fromJson(comparedMembers(shown, signedBlock.fields), clientEncoding(call.words));
  const transactions = block.transactions.map(packTransaction);
  const root = merkleRoot(transactions.map(({ leaf }) => leaf));
  requireSame(call, 'the transactions', root, proven.transaction_merkle_root);
  requireSame(
    call,
    'transaction_ids',
    shown['transaction_ids'],
    transactions.map(({ id }) => id),
  );
  requireSame(call, 'block_id', shown['block_id'], proven.id);
  return shown;
}

async function proveHeader(client: VerifiedClient, call: AnsweredCall): Promise<Json> {
  const shown = findRecord(call, '');
  const proven = await client.block(Number(member(call.params, 'block_num')));
  const header = toHex(packedAs(blockHeader, comparedMembers(shown, blockHeader.fields), call.words));
  requireSame(call, 'the header', header, proven.packed.slice(0, header.length));
  return shown;
}

/** The record in an answer; what is not there is not proven. */
function findRecord({ answer, method }: AnsweredCall, within: string): Members {
  const record = within === '' ? answer : member(answer, within);
  if (typeof record === 'object' && record !== null && !Array.isArray(record)) return record;
  return refuse.absence_not_proven({ said: `that there is nothing for ${method}` });
}

function requireSame({ method }: AnsweredCall, what: string, given: Json | undefined, proven: Json): void {
  if (JSON.stringify(given) !== JSON.stringify(proven)) refuse.answer_not_proven({ method, what });
}

function comparedMembers(record: Members, fields: object): { [member: string]: Json } {
  return Object.fromEntries(Object.entries(record).filter(([name]) => Object.hasOwn(fields, name)));
}

function clientEncoding(words: ChainSymbols): EncodingOptions {
  return { ...words, dialect: 'default', operationForm: 'pair', readsAnswers: true };
}

function packedAs<T>(codec: Codec<T>, json: Json, words: ChainSymbols): Uint8Array {
  const out = new ByteWriter();
  codec.write(out, codec.fromJson(json, clientEncoding(words)));
  return out.finish();
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
