import { present } from '../base/assert.ts';
import { quoted, refusals } from '../base/refusal.ts';
import type { Json } from '../codec/json.ts';
import type { ChainSymbols } from '../codec/encoding_options.ts';
import { requiredAuthorities } from '../blocks/authority_check.ts';
import { keysToSign } from '../blocks/keys_to_sign.ts';
import { signatureGaps, type MissingAuthority } from '../blocks/signature_gaps.ts';
import { signTransaction } from '../blocks/sign_transaction.ts';
import { packTransaction, signedTransaction, transactionId, type SignedTransaction } from '../blocks/transaction.ts';
import { verifyTransaction } from '../blocks/verify.ts';
import type { Operation } from '../operations/operation.ts';
import { leavesOutcomeOpen } from '../rpc/broadcast_refusals.ts';
import type { Digest } from '../values/hash.ts';
import { publicKeyText, type PublicKey } from '../values/public_key.ts';
import { approverRefusals, fetchAuthorities } from './authorities.ts';
import { member } from '../client/chain_of_node.ts';
import { NodeNonsense, NodeSilent } from '../client/answer.ts';
import { NodeRefusal } from '../client/node_refusal.ts';
import { hasExpired } from './has_expired.ts';
import { buildTransaction, transactionRefusals } from './build_transaction.ts';
import { consentRefusals, requireConsent } from './consent.ts';
import { keyStoreRefusals } from './key_store.ts';
import { shownTransaction } from './transaction_json.ts';
import { showPreview } from './transaction_preview.ts';
import { warnOfAuthorities } from './warn_of_authorities.ts';
import { outputEncoding, chainSymbols, type Wallet } from './wallet.ts';

const refuse = refusals({
  other_chain:
    'the wallet signs for chain {expected} and the node is on chain {found}; nothing was signed; another chain needs another wallet file',
});

/** The refusals when the node is on another chain. */
export const chainRefusals = refuse.texts;

const { key_not_in_wallet } = keyStoreRefusals;
/** The refusals of signing with the keys of the wallet. */
export const signingRefusals = { key_not_in_wallet, ...chainRefusals, ...approverRefusals, ...consentRefusals };

/** The refusals of building a transaction and signing it. */
export const sendingRefusals = { ...transactionRefusals, ...signingRefusals };

/** Builds a transaction of these operations, signs it with the keys of the wallet, and sends it if `broadcast`. */
export async function send(wallet: Wallet, operations: readonly Operation[], broadcast: boolean): Promise<Json> {
  const built = await buildTransaction(wallet, operations);
  return await sendOrPreview(wallet, await signAsNeeded(wallet, built), broadcast);
}

/** Sends what was signed, or shows the person what it would do. */
export async function sendOrPreview(
  wallet: Wallet,
  { transaction, missing }: Signed,
  broadcast: boolean,
): Promise<Json> {
  if (broadcast) return await broadcastTransaction(wallet, transaction);
  await showPreview(wallet, transaction, missing);
  return shownTransaction(transaction, await chainSymbols(wallet));
}

/** A transaction, and what its signatures lack. */
export interface Signed {
  readonly transaction: SignedTransaction;
  readonly missing: readonly MissingAuthority[];
}

/** The transaction with the signatures that it needs and the wallet can add; existing signatures are kept. */
export async function signAsNeeded(wallet: Wallet, transaction: SignedTransaction): Promise<Signed> {
  const chainId = await signingChain(wallet);
  const required = requiredAuthorities(transaction.operations);
  const lookup = await fetchAuthorities(wallet, required);
  const signed = verifyTransaction(chainId, packTransaction(transaction)).signers.filter((key) => key !== undefined);
  const keys = keysToSign(lookup, required, { signed, owns: (key) => wallet.keys.has(key) });
  await warnOfAuthorities(wallet, transaction.operations);
  const { missing } = signatureGaps(lookup, required, [...signed, ...keys]);
  return { transaction: signWithKeys(wallet, transaction, chainId, keys, await chainSymbols(wallet)), missing };
}

/** The transaction with the signatures of these keys added; refuses when the wallet lacks one of them. */
export function signWithKeys(
  wallet: Wallet,
  transaction: SignedTransaction,
  chainId: Digest,
  keys: readonly PublicKey[],
  symbols: ChainSymbols,
): SignedTransaction {
  const secrets = keys.map((key) => wallet.keys.secretOf(key, publicKeyText(key, symbols.keyPrefix)));
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
async function signingChain(wallet: Wallet): Promise<Digest> {
  const { keys, settings } = wallet;
  const id = await requireChain(wallet);
  if (keys.chainId !== undefined) return id;
  const symbols = await chainSymbols(wallet);
  const { coinSymbol, keyPrefix } = symbols;
  const isNamed = settings.chainId === id && coinSymbol === settings.fallbackSymbols.coinSymbol;
  if (!isNamed) {
    const facts = `the wallet will sign for chain ${id} from now on, whose coin is ${quoted(coinSymbol)} and whose keys begin with ${quoted(keyPrefix)}`;
    await requireConsent(wallet, `${facts} (--chain-id names it beforehand)`);
  }
  keys.bind({ id, symbols });
  return id;
}

/**
 * Sends a signed transaction; returns the result when it is in a block, or as far as the settings say, or can no longer
 * get there.
 */
export async function broadcastTransaction(wallet: Wallet, transaction: SignedTransaction): Promise<Json> {
  const symbols = await chainSymbols(wallet);
  const answer = await answerOfNode(wallet, transaction, symbols);
  if (wallet.settings.waitFor === 'final' && !hasExpired(answer)) await requireProof(wallet, transaction);
  if (wallet.settings.waitFor === 'accepted') return shownTransaction(transaction, symbols, {});
  const [block_num, transaction_num] = [member(answer, 'block_num') ?? 0, member(answer, 'transaction_num') ?? 0];
  return shownTransaction(transaction, symbols, { block_num, transaction_num });
}

async function answerOfNode(wallet: Wallet, transaction: SignedTransaction, symbols: ChainSymbols): Promise<Json> {
  const json = signedTransaction.toJson(transaction, outputEncoding(symbols));
  try {
    return await wallet.node.broadcast(json, transaction.expiration, wallet.settings.waitFor);
  } catch (error) {
    throw error instanceof Error && isOutcomeOpen(error) ? outcomeUnknown(error, transaction) : error;
  }
}

/** True when a block may have the transaction, or still take it, although its broadcast ended with this error. */
function isOutcomeOpen(error: Error): boolean {
  if (error instanceof NodeSilent) return error.wasSent;
  // An answer that nobody can read is one to what was sent.
  return error instanceof NodeRefusal ? leavesOutcomeOpen(error) : error instanceof NodeNonsense;
}

/** The node says that the transaction is final. Without a proof of that, the person still needs its id. */
async function requireProof({ node }: Wallet, transaction: SignedTransaction): Promise<void> {
  try {
    await node.proofs?.requireFinal(transactionId(transaction));
  } catch (error) {
    throw error instanceof Error ? outcomeUnknown(error, transaction) : error;
  }
}

function outcomeUnknown(cause: Error, transaction: SignedTransaction): NodeSilent {
  const id = transactionId(transaction);
  return new NodeSilent(
    `${cause.message}. Transaction ${id} was sent and may be in a block or still get into one: ask get_transaction ${id} before you repeat it`,
    true,
    cause,
  );
}

const refuseCombined = refusals({ transactions_differ: 'these are two different transactions' });

/** The refusals of combining transactions. */
export const combiningRefusals = refuseCombined.texts;

/** Refuses to combine two different transactions. */
export function requireSameTransaction(a: SignedTransaction, b: SignedTransaction): void {
  if (transactionId(a) !== transactionId(b)) refuseCombined.transactions_differ();
}
