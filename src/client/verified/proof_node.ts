import { Refusal, refusals } from '../../base/refusal.ts';
import {
  finalityProof,
  transactionProof,
  type FinalityProof,
  type TransactionProof,
} from '../../blocks/finality/finality_proof.ts';
import { checkpointTrust, type Trust } from '../../blocks/finality/trust.ts';
import type { Checkpoint } from '../../values/checkpoint.ts';
import type { Codec } from '../../codec/codec.ts';
import { neutralEncoding } from '../../codec/encoding_options.ts';
import type { Json } from '../../codec/json.ts';
import type { TransactionId } from '../../values/hash.ts';
import { CALL_MS } from '../call_limits.ts';
import { member } from '../chain_of_node.ts';
import type { NodeConnection } from '../connection.ts';

const refuse = refusals({
  proof_unreadable: 'what the node calls a proof can not be read: {why}',
  finality_unreadable: 'the node does not say where the finality of its chain stands',
});

/** A node's own report of its chain's finality. It proves nothing. */
export interface ToldFinality {
  readonly chain: string;
  readonly epochBlocks: number;
  readonly finalBlock: number;
}

/** Asks one node for proofs, and reads them. */
export class ProofNode {
  readonly url: string;
  readonly connection: NodeConnection;

  constructor({ url, connection }: { readonly url: string; readonly connection: NodeConnection }) {
    this.url = url;
    this.connection = connection;
  }

  /** Asks for the finality of the chain. */
  async finality(): Promise<ToldFinality> {
    const told = await this.connection.call('block_api.get_finality', {}, { timeoutMs: CALL_MS, repeatable: true });
    const [chain, epochBlocks] = [member(told, 'chain_id'), member(told, 'epoch_blocks')];
    const finalBlock = member(told, 'final_block_num');
    const isTold = typeof chain === 'string' && /^[0-9a-f]{64}$/.test(chain);
    return isTold && isNumber(epochBlocks) && isNumber(finalBlock)
      ? { chain, epochBlocks, finalBlock }
      : refuse.finality_unreadable();
  }

  /** The trust that a checkpoint gives on the node's chain. */
  async trust(checkpoint: Checkpoint): Promise<Trust> {
    const { chain, epochBlocks } = await this.finality();
    return checkpointTrust(checkpoint, chain, epochBlocks);
  }

  /** The proof that a block is final, for whoever trusts the voters of an epoch. */
  async block(block_num: number, trusted_epoch: number): Promise<FinalityProof> {
    return await this.#proof('get_finality_proof', { block_num, trusted_epoch }, finalityProof);
  }

  /** The proof that a transaction is in a final block. */
  async transaction(transaction_id: TransactionId, trusted_epoch: number): Promise<TransactionProof> {
    return await this.#proof('get_transaction_proof', { transaction_id, trusted_epoch }, transactionProof);
  }

  async #proof<T>(name: string, params: Json, codec: Codec<T>): Promise<T> {
    const answer = await this.connection.call(`block_api.${name}`, params, { timeoutMs: CALL_MS, repeatable: true });
    try {
      return codec.fromJson(answer, neutralEncoding);
    } catch (error) {
      if (error instanceof Refusal) return refuse.proof_unreadable({ why: error.message });
      throw error;
    }
  }
}

function isNumber(json: Json | undefined): json is number {
  return typeof json === 'number' && Number.isInteger(json) && json >= 0 && json <= 0xffff_ffff;
}
