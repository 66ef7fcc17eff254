import { unlessRefused } from '../../../src/base/refusal.ts';
import { requiredAuthorities } from '../../../src/blocks/authority_check.ts';
import { signedBlock } from '../../../src/blocks/block.ts';
import { verifyTransaction } from '../../../src/blocks/verify.ts';
import { packTransaction, signedTransaction } from '../../../src/blocks/transaction.ts';
import type { Chain } from '../../../src/chain/chain.ts';
import { isJsonObject, type Json } from '../../../src/codec/json.ts';
import { readJsonText } from '../../../src/codec/json_reader.ts';
import type { ChainParameters } from '../../../src/state/parameters.ts';
import { encoding, people, unsignedTransaction } from '../chain.ts';
import { forgedBlock } from '../forged_block.ts';
import { listPlaces, makeSource, sourceText, type Members, type Root, type Source } from './source.ts';

/**
 * Signs the transactions and blocks in a source for a chain, so that they are not refused for that: whatever else is
 * wrong in them stays as it is.
 */
export function signCalls(root: Root, chain: Chain, parameters: ChainParameters): void {
  // Inner parts first: the transactions of a block before the block.
  for (const { value } of listPlaces(root).toReversed()) {
    if (typeof value === 'string' || 'items' in value) continue;
    if (has(value, 'operations')) signTransaction(value, chain, parameters);
    if (has(value, 'witness') && has(value, 'transactions')) signBlock(value, chain, parameters);
  }
}

function signTransaction(source: Members, chain: Chain, parameters: ChainParameters): void {
  const read = unlessRefused(() => signedTransaction.fromJson(sourceJson(source), encoding));
  if (read === undefined) return;
  const { active, owner } = requiredAuthorities(read.operations);
  const signers = people.filter((name) => active.includes(name) || owner.includes(name));
  const { transaction } = unsignedTransaction(chain, parameters, read.operations, signers);
  setMembers(source, signedTransaction.toJson(transaction, encoding), [
    'ref_block_num',
    'ref_block_prefix',
    'expiration',
    'signatures',
  ]);
}

function signBlock(source: Members, chain: Chain, parameters: ChainParameters): void {
  const read = unlessRefused(() => signedBlock.fromJson(sourceJson(source), encoding));
  if (read === undefined) return;
  const transactions = read.transactions.map((each) => verifyTransaction(parameters.chainId, packTransaction(each)));
  const { header } = forgedBlock(chain, { header: { extensions: read.extensions }, transactions });
  const json = signedBlock.toJson({ ...header, transactions: [] }, encoding);
  setMembers(source, json, ['previous', 'timestamp', 'witness', 'transaction_merkle_root', 'witness_signature']);
}

function has({ members }: Members, name: string): boolean {
  return members.some(([quoted]) => quoted === `"${name}"`);
}

/** The parsed text of a source; throws when it is not JSON. */
function sourceJson(source: Source): Json {
  return readJsonText(sourceText(source));
}

function setMembers(source: Members, json: Json, names: readonly string[]): void {
  for (const member of source.members) {
    const name = member[0].slice(1, -1);
    if (isJsonObject(json) && names.includes(name)) member[1] = makeSource(json[name] ?? null);
  }
}
