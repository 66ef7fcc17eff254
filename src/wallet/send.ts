import { present } from '../base/assert.ts';
import { quoted, Refusal, refusals } from '../base/refusal.ts';
import type { Json } from '../codec/json.ts';
import type { ChainWords } from '../codec/notation.ts';
import { requiredOf } from '../blocks/authority_check.ts';
import { keysToSign } from '../blocks/keys_to_sign.ts';
import { signatureGaps, type MissingAuthority } from '../blocks/signature_gaps.ts';
import { signTransaction } from '../blocks/sign_transaction.ts';
import { packTransaction, signedTransaction, transactionId, type SignedTransaction } from '../blocks/transaction.ts';
import { verifyTransaction } from '../blocks/verify.ts';
import type { Operation } from '../operations/operation.ts';
import type { Digest } from '../values/hash.ts';
import { publicKeyText, type PublicKey } from '../values/public_key.ts';
import { fetchAuthorities } from './authorities.ts';
import { member } from '../client/chain_of_node.ts';
import { NodeSilent } from '../client/answer.ts';
import { buildTransaction } from './build_transaction.ts';
import { requireConsent } from './consent.ts';
import { shownTransaction } from './transaction_json.ts';
import { showPreview } from './transaction_preview.ts';
import { outputNotation, wordsOf, type Wallet } from './wallet.ts';

const refuse = refusals({
  other_chain:
    'the wallet signs for chain {expected} and the node is on chain {found}; nothing was signed; another chain needs another wallet file',
});

/** Builds a transaction of these operations, signs it with the keys of the wallet, and sends it if `broadcast`. */
export async function send(wallet: Wallet, operations: readonly Operation[], broadcast: boolean): Promise<Json> {
  const built = await buildTransaction(wallet, operations);
  return await sendOrPreview(wallet, await signAsNeeded(wallet, built), broadcast);
}

/** Sends what was signed, or shows the person what it would do. */
export async function sendOrPreview(wallet: Wallet, { transaction, missing }: Signed, broadcast: boolean): Promise<Json> {
  if (broadcast) return await broadcastTransaction(wallet, transaction);
  await showPreview(wallet, transaction, missing);
  return shownTransaction(transaction, await wordsOf(wallet));
}

/** A transaction, and what its signatures lack. */
export interface Signed {
  readonly transaction: SignedTransaction;
  readonly missing: readonly MissingAuthority[];
}

/** The transaction with the signatures that it needs and the wallet can add; existing signatures are kept. */
export async function signAsNeeded(wallet: Wallet, transaction: SignedTransaction): Promise<Signed> {
  const chainId = await chainToSignFor(wallet);
  const required = requiredOf(transaction.operations);
  const lookup = await fetchAuthorities(wallet, required);
  const signed = verifyTransaction(chainId, packTransaction(transaction)).signers.filter((key) => key !== undefined);
  const keys = keysToSign(lookup, required, { signed, owns: (key) => wallet.keys.has(key) });
  const { missing } = signatureGaps(lookup, required, [...signed, ...keys]);
  return { transaction: signWithKeys(wallet, transaction, chainId, keys, await wordsOf(wallet)), missing };
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

/** The id of the node's chain; refused when it is not the one that the wallet signs for, as far as that is known. */
export async function requireChain({ node, settings, keys }: Wallet): Promise<Digest> {
  const found = await node.chainId();
  for (const expected of [settings.chainId, keys.chainId]) {
    if (expected !== undefined && expected !== found) refuse.other_chain({ expected, found });
  }
  return found;
}

/** The same for a signature. The first one binds the wallet to its chain, so the person has to know which that is. */
async function chainToSignFor(wallet: Wallet): Promise<Digest> {
  const { keys, settings } = wallet;
  const id = await requireChain(wallet);
  if (keys.chainId !== undefined) return id;
  const words = await wordsOf(wallet);
  const { coinSymbol, keyPrefix } = words;
  const isNamed = settings.chainId === id && coinSymbol === settings.fallbackWords.coinSymbol;
  if (!isNamed) {
    const facts = `the wallet will sign for chain ${id} from now on, whose coin is ${quoted(coinSymbol)} and whose keys begin with ${quoted(keyPrefix)}`;
    await requireConsent(wallet, `${facts} (--chain-id names it beforehand)`);
  }
  keys.bind({ id, words });
  return id;
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
