import type { Clock } from '../../../base/clock.ts';
import { packTransactions, type SignedBlock } from '../../../blocks/block.ts';
import { requireMerkleRoot } from '../../../blocks/merkle.ts';
import { headerDigest } from '../../../blocks/header.ts';
import { requireOneForm } from '../../../blocks/signature_form.ts';
import { packTransaction, type SignedTransaction } from '../../../blocks/transaction.ts';
import type { EncodingOptions } from '../../../codec/encoding_options.ts';
import { fixedLimits } from '../../../rpc/fixed_limits.ts';
import { refuseBlock } from '../../../rpc/broadcast_refusals.ts';
import type { ChainParameters } from '../../../state/parameters.ts';
import type { Broadcasts } from './broadcasts.ts';
import { encodeVerifiedBlocks } from '../../../blocks/verified_blocks.ts';
import type { Verifiers } from '../../../verifiers/verifier_pool.ts';
import type { WriterClient } from '../writer/writer_client.ts';
import { timeText } from '../../../values/time.ts';

/** The parts of a `BlockIngress`. */
export interface BlockIngressParts {
  readonly parameters: ChainParameters;
  readonly clock: Clock;
  /** The chain sets its own time, so no clock can tell whether a block is from the future. */
  readonly ownsTime: boolean;
  readonly broadcasts: Broadcasts;
  readonly writer: WriterClient;
  readonly verifiers: Pick<Verifiers, 'recover' | 'verifyTransactions'>;
}

/** Takes blocks and transactions that arrive as values rather than as broadcasts. */
export class BlockIngress {
  readonly #parts: BlockIngressParts;

  constructor(parts: BlockIngressParts) {
    this.#parts = parts;
  }

  /** Resolves when the block is applied or known to be on another branch; rejects with the chain's refusal. */
  async pushBlock(block: SignedBlock): Promise<void> {
    const { parameters, clock, ownsTime, writer, verifiers } = this.#parts;
    const packed = packTransactions(block);
    const { maxBlockBytes: most, profile } = parameters;
    const { length: bytes } = packed.packed;
    if (bytes > most) refuseBlock.block_too_big({ bytes, most, coin: profile.coinName.toUpperCase() });
    const { timestamp } = packed.header;
    const seconds = timestamp - Math.trunc(clock.nowMs() / 1000);
    if (seconds > fixedLimits.block_in_future.most && !ownsTime) {
      refuseBlock.block_in_future({ timestamp: timeText(timestamp), seconds, most: fixedLimits.block_in_future.most });
    }
    // Recovering the signer costs a hundred times as much, so it comes after all other checks.
    if (parameters.rules.one_signature_form)
      for (const { transaction } of packed.transactions) requireOneForm(transaction.signatures);
    requireMerkleRoot(packed);
    const [signer] = await verifiers.recover(Buffer.from(headerDigest(packed.header)).toString('hex'), [
      packed.header.witness_signature,
    ]);
    const { id, number, header } = packed;
    const standing = await writer.ask({ kind: 'header', block: { id, number, header, signer } });
    if (standing === 'known') return;
    const transactions = await verifiers.verifyTransactions(packed.transactions);
    await writer.ask({ kind: 'blocks', verified: encodeVerifiedBlocks([{ ...packed, transactions, signer }]) });
  }

  /** Resolves when the transaction is pending; rejects with the chain's refusal. */
  async pushTransaction(transaction: SignedTransaction): Promise<void> {
    const { parameters, broadcasts } = this.#parts;
    const encoding: EncodingOptions = { ...parameters.profile, dialect: 'default', operationForm: 'pair' };
    await broadcasts.submit({
      packed: packTransaction(transaction).packed,
      waitFor: 'accepted',
      encoding,
      senderId: 0,
    });
  }
}
