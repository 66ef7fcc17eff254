import { refusals } from '../../base/refusal.ts';
import { packBlock, type VerifiedBlock } from '../../blocks/block.ts';
import { headerDigest, type BlockHeader } from '../../blocks/header.ts';
import type { VerifiedTransaction } from '../../blocks/transaction.ts';
import { rootOfLeaves } from '../../blocks/merkle.ts';
import { packLeaves } from '../../blocks/packed_verified_transaction.ts';
import { blockSigner } from '../../blocks/verify.ts';
import { requireRow } from '../../state/lookups.ts';
import { dynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';
import { hardforkProperty } from '../../state/tables/hardfork_property.ts';
import { witnesses } from '../../state/tables/witness.ts';
import type { AccountName } from '../../values/account_name.ts';
import type { Signature } from '../../values/hash.ts';
import { publicKeyText } from '../../values/public_key.ts';
import type { Seconds } from '../../values/time.ts';
import { checkBlockSize, finishBlock } from '../apply/apply_block.ts';
import { applyHeaderExtensions, makeExtensions, requireCurrentSoftware } from '../apply/header_extensions.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { without, type Pending } from './pending.ts';
import { canonicalRule, requireSigner } from '../../blocks/signature_form.ts';
import { validateHeader } from '../apply/validate_header.ts';

const refuse = refusals({
  wrong_signing_key: {
    text: 'witness {witness} signs blocks with {expected}, and this node has signed with {found}',
    lineage: 'The witness signing key {expected} is different to the block generation key {found}',
  },
});

/** The slot to produce a block in, and how it is signed. */
export interface SealRequest {
  readonly witness: AccountName;
  /** The time of the slot. */
  readonly timestamp: Seconds;
  /**
   * Signs the 32 bytes of the header's digest; called once, after everything that could be refused has been checked.
   * What it throws leaves all as it was.
   */
  readonly sign: (digest: Uint8Array, header: BlockHeader) => Signature;
}

/** A block that lacks nothing but its signature. */
export interface PreparedBlock {
  readonly header: BlockHeader;
  /** Of the header, 32 bytes: what is signed. */
  readonly digest: Uint8Array;
  readonly transactions: readonly VerifiedTransaction[];
}

/** A block of this node's, and the transactions that came behind it while it was signed. */
export interface AdoptedBlock {
  readonly block: VerifiedBlock;
  readonly rest: readonly VerifiedTransaction[];
}

/** Makes the pending block one that only lacks its signature. The pending transactions remain, and more may come. */
export function prepareBlock(
  ledger: Ledger,
  pending: Pending,
  { witness, timestamp }: Omit<SealRequest, 'sign'>,
): PreparedBlock {
  const head = ledger.committed;
  const previous = head.only(dynamicGlobalProperties).head_block_id;
  const fields = { previous, timestamp, witness, transaction_merkle_root: '', extensions: [] };
  validateHeader(head, ledger.parameters, undefined, {
    header: { ...fields, witness_signature: '' },
    signer: undefined,
  });
  pending.prepare(timestamp);
  const transactions = [...pending.transactions];
  const transaction_merkle_root = rootOfLeaves(packLeaves(transactions));
  const extensions = makeExtensions(
    requireRow(head, witnesses, witness, witness),
    head.only(hardforkProperty),
    ledger.parameters,
    head.only(dynamicGlobalProperties).head_block_number === 0 ? timestamp : undefined,
  );
  const header = { ...fields, transaction_merkle_root, extensions };
  return { header, digest: headerDigest(header), transactions };
}

/**
 * Makes a prepared block the head: its transactions are not applied again, unless others came meanwhile. Refused when
 * the head has moved. A later refusal loses the slot and drops the pending transactions, because another block must not
 * be signed for the same slot.
 */
export function adoptSigned(
  ledger: Ledger,
  pending: Pending,
  { header, transactions }: PreparedBlock,
  witness_signature: Signature,
): AdoptedBlock {
  const signed = { ...header, witness_signature };
  validateHeader(ledger.committed, ledger.parameters, undefined, { header: signed, signer: undefined });
  const block = { ...packBlock(signed, transactions), signer: blockSigner({ header: signed }) };
  requireOwnKey(ledger, block);
  if (pending.hasHardforksOf(header) && isPending(pending, transactions)) {
    adoptPending(ledger, pending, block);
    return { block, rest: [] };
  }
  const rest = without(pending.take(), transactions);
  ledger.apply(block, { signatures: true });
  return { block, rest };
}

/** Returns whether the open block has exactly these transactions. */
function isPending(pending: Pending, transactions: readonly VerifiedTransaction[]): boolean {
  const { transactions: open } = pending;
  if (!pending.isOpen || open.length !== transactions.length) return false;
  for (const [index, each] of open.entries()) if (each !== transactions[index]) return false;
  return true;
}

/** The signature must be one that all other nodes accept. */
function requireOwnKey({ committed, parameters, state }: Ledger, { header, signer }: VerifiedBlock): void {
  const { signing_key } = requireRow(committed, witnesses, header.witness, header.witness);
  const key = requireSigner(canonicalRule(state.rows, parameters), header.witness_signature, signer);
  const { keyPrefix } = parameters.profile;
  if (key === signing_key) return;
  const [expected, found] = [publicKeyText(signing_key, keyPrefix), publicKeyText(key, keyPrefix)];
  refuse.wrong_signing_key({ witness: header.witness, expected, found });
}

/**
 * Makes the open block this one, which has exactly the pending transactions. When refused, no transactions are pending
 * any more.
 */
export function adoptPending(ledger: Ledger, pending: Pending, block: VerifiedBlock): void {
  const { state } = ledger;
  if (!commutes(ledger, block.header)) {
    pending.take();
    ledger.apply(block, { signatures: true });
    return;
  }
  try {
    checkBlockSize(state, block);
    applyHeaderExtensions(state, block.header);
    requireCurrentSoftware(state, block.header);
    finishBlock(state, block);
  } catch (error) {
    pending.take();
    state.sequences.discard();
    throw error;
  }
  ledger.commit();
  pending.close();
}

/**
 * Applying a block stores what its header reports about the witness before the transactions; sealing does so after
 * them, and checks the software version by it. Transactions neither read nor write these members, so the result is the
 * same, unless the witness was deleted in between.
 */
function commutes({ committed, state }: Ledger, { witness }: BlockHeader): boolean {
  return state.rows.get(witnesses, witness)?.id === committed.get(witnesses, witness)?.id;
}
