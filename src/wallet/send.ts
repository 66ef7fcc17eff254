import { present } from '../base/assert.ts';
import { Refusal, refusals } from '../base/refusal.ts';
import type { Json } from '../codec/json.ts';
import { writeJson } from '../codec/json_writer.ts';
import type { ChainWords } from '../codec/notation.ts';
import { requiredOf } from '../blocks/authority_check.ts';
import { keysToSign } from '../blocks/keys_to_sign.ts';
import { signTransaction } from '../blocks/sign_transaction.ts';
import { packTransaction, signedTransaction, transactionId, type SignedTransaction } from '../blocks/transaction.ts';
import { proveTransaction } from '../blocks/prove.ts';
import { operationCodec } from '../operations/index.ts';
import type { Operation } from '../operations/operation.ts';
import { assetText } from '../values/asset.ts';
import type { Digest } from '../values/hash.ts';
import { publicKeyText, type PublicKey } from '../values/public_key.ts';
import { parseTime, secondsAfter } from '../values/time.ts';
import { fetchAuthorities } from './authorities.ts';
import { member } from '../client/chain_of_node.ts';
import { NodeSilent } from '../client/answer.ts';
import { handedTransaction, shownTransaction } from './transaction_json.ts';
import { inputNotation, outputNotation, wordsOf, type Wallet } from './wallet.ts';

const refuse = refusals({
  other_chain:
    'the wallet signs for chain {expected} and the node is on chain {found}; nothing was signed; another chain needs another wallet file',
  node_changed_operations: 'the node changed the operations that it was given; nothing was signed',
  fee_too_large: 'the node asks for a fee of {fee}, more than the limit of {limit}; nothing was signed (see --max-fee)',
  no_head_time: 'the node does not say what time it is on the chain',
});

/** Builds a transaction of these operations, signs it with the keys of the wallet, and sends it if `broadcast`. */
export async function send(wallet: Wallet, operations: readonly Operation[], broadcast: boolean): Promise<Json> {
  const signed = await signAsNeeded(wallet, await buildTransaction(wallet, operations));
  return broadcast ? await broadcastTransaction(wallet, signed) : shownTransaction(signed, await wordsOf(wallet));
}

/**
 * An unsigned transaction. The node validates the operations and returns their fees and the reference block; checks that it
 * changed nothing else and that the fees stay within the limit.
 */
export async function buildTransaction(wallet: Wallet, operations: readonly Operation[]): Promise<SignedTransaction> {
  const words = await wordsOf(wallet);
  const op_vec = operations.map((operation) => operationCodec.toJson(operation, outputNotation(words)));
  const built = handedTransaction.fromJson(await wallet.node.ask('create_transaction', { op_vec }, 'tx'), inputNotation(words));
  requireSame(operations, built.operations, words);
  requireModestFees(wallet, built.operations);
  return { ...built, expiration: (await chosenExpiration(wallet)) ?? built.expiration, extensions: [], signatures: [] };
}

function requireSame(asked: readonly Operation[], built: readonly Operation[], words: ChainWords): void {
  const withoutFee = (operation: Operation): string =>
    writeJson(operationCodec.toJson(operation.withFee({ amount: 0n, symbol: words.coinSymbol }), outputNotation(words)));
  const isSame =
    asked.length === built.length && asked.every((operation, k) => withoutFee(operation) === withoutFee(built[k] ?? operation));
  if (!isSame) refuse.node_changed_operations();
}

function requireModestFees({ settings }: Wallet, operations: readonly Operation[]): void {
  for (const { fee } of operations) {
    if (fee !== undefined && fee.amount > settings.maxFee)
      refuse.fee_too_large({ fee: assetText(fee), limit: assetText({ ...fee, amount: settings.maxFee }) });
  }
}

async function chosenExpiration({ settings, node }: Wallet): Promise<number | undefined> {
  if (settings.expirationSeconds === undefined) return undefined;
  const time = member(await node.ask('get_dynamic_global_properties', {}, 'properties'), 'time');
  const head = typeof time === 'string' ? parseTime(time) : undefined;
  return secondsAfter(head ?? refuse.no_head_time(), settings.expirationSeconds);
}

/** The transaction with the signatures that it needs and the wallet can add; existing signatures are kept. */
export async function signAsNeeded(wallet: Wallet, transaction: SignedTransaction): Promise<SignedTransaction> {
  const chainId = await requireChain(wallet);
  const required = requiredOf(transaction.operations);
  const lookup = await fetchAuthorities(wallet, required);
  const signed = proveTransaction(chainId, packTransaction(transaction)).signers.filter((key) => key !== undefined);
  const keys = keysToSign(lookup, required, { signed, owns: (key) => wallet.keys.has(key) });
  return signWithKeys(wallet, transaction, chainId, keys, await wordsOf(wallet));
}

/** The transaction with the signatures of these keys added; refuses when the wallet lacks one of them. */
export function signWithKeys(
  wallet: Wallet,
  transaction: SignedTransaction,
  chainId: Digest,
  keys: readonly PublicKey[],
  words: ChainWords,
): SignedTransaction {
  const secrets = keys.map((key) => wallet.keys.secretOf(key, publicKeyText(key, words.keyPrefix)));
  return present(signTransaction(chainId, transaction, secrets), 'signatures of secrets that have public keys');
}

/** The id of the node's chain, which must be the one that the wallet signs for; a wallet that hasn't signed yet is bound to it. */
export async function requireChain(wallet: Wallet): Promise<Digest> {
  const found = await wallet.node.chainId();
  for (const expected of [wallet.settings.chainId, wallet.keys.chainId]) {
    if (expected !== undefined && expected !== found) refuse.other_chain({ expected, found });
  }
  if (wallet.keys.chainId === undefined) wallet.keys.bind({ id: found, words: await wordsOf(wallet) });
  return found;
}

const HOUR_MS = 3_600_000;
/** The lifetime that a node gives a transaction by default. */
const SHORTEST_LIFE_MS = 30_000;

/** Sends a signed transaction; returns the result when it is in a block, or can no longer get into one. */
export async function broadcastTransaction(wallet: Wallet, transaction: SignedTransaction): Promise<Json> {
  const words = await wordsOf(wallet);
  const lifetimeMs = Math.min(HOUR_MS, Math.max(SHORTEST_LIFE_MS, transaction.expiration * 1000 - wallet.clock.nowMs()));
  let answer: Json;
  try {
    answer = await wallet.node.broadcast(signedTransaction.toJson(transaction, outputNotation(words)), lifetimeMs);
  } catch (error) {
    if (error instanceof NodeSilent && error.wasSent) throw outcomeUnknown(error, transaction);
    throw error;
  }
  const [block_num, transaction_num] = [member(answer, 'block_num') ?? 0, member(answer, 'transaction_num') ?? 0];
  return shownTransaction(transaction, words, { block_num, transaction_num });
}

function outcomeUnknown(cause: NodeSilent, transaction: SignedTransaction): NodeSilent {
  const id = transactionId(transaction);
  return new NodeSilent(
    `${cause.message}. Transaction ${id} was sent and may be in a block or still get into one: ask get_transaction ${id} before you repeat it`,
    true,
    cause,
  );
}

/** Refuses to combine two different transactions. */
export function requireSameTransaction(a: SignedTransaction, b: SignedTransaction): void {
  if (transactionId(a) !== transactionId(b)) throw new Refusal('transactions_differ', 'these are two different transactions');
}
