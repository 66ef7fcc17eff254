import { present } from '../../src/base/assert.ts';
import { packTransactions, type VerifiedBlock } from '../../src/blocks/block.ts';
import { verifyBlock, verifyTransaction } from '../../src/blocks/verify.ts';
import { packTransaction, signedTransaction, type SignedTransaction } from '../../src/blocks/transaction.ts';
import { Chain } from '../../src/chain/chain.ts';
import { writeJson } from '../../src/codec/json_writer.ts';
import { broadcastRequest } from '../../src/rpc/broadcast_request.ts';
import type { Dispatcher } from '../../src/jsonrpc/dispatcher.ts';
import type { VerifierCall, BroadcastOutcome, RawBroadcast } from '../../src/rpc/services.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { blockReference } from '../../src/values/block_reference.ts';
import { dispatcherOver } from '../rpc/methods/node_of_methods.ts';
import { lineageParameters, verifiedBlock, recordedBlocks } from './lineage_chain.ts';

/** The recorded chain and the one behind the recorded exchanges are the same up to here. */
export const LAST_COMMON_BLOCK = 1202;

/** A node in one thread that can apply the recorded blocks one by one. */
export class RecordedNode {
  readonly reports: unknown[] = [];
  readonly dispatcher: Dispatcher<VerifierCall>;
  readonly #parameters = lineageParameters();
  readonly #chain: Chain;
  readonly #blocks: readonly VerifiedBlock[];
  readonly #places = new Map<string, { readonly block: number; readonly index: number }>();

  constructor() {
    const store = new MemoryStore();
    this.#chain = new Chain({ store, parameters: this.#parameters, durable: false });
    this.#blocks = recordedBlocks()
      .slice(0, LAST_COMMON_BLOCK)
      .map((packed) => verifiedBlock(packed, this.#parameters.chainId));
    for (const { number, transactions } of this.#blocks)
      for (const [index, { id }] of transactions.entries()) this.#places.set(id, { block: number, index });
    this.dispatcher = dispatcherOver(this.#chain, store, this.#parameters, {
      intake: {
        broadcast: (raw) => this.#broadcast(raw),
        pushTransaction: async (transaction) => await Promise.resolve(void this.#accept(transaction)),
      },
      verifiers: {
        pushBlock: async (block) =>
          await Promise.resolve(void this.#chain.push(verifyBlock(this.#parameters.chainId, packTransactions(block)))),
      },
      report: (error) => void this.reports.push(error),
    });
  }

  /** Applies the recorded blocks up to this one, if it exists and its id begins with this prefix. */
  advance(number: number, prefix?: number): void {
    const block = this.#blocks[number - 1];
    if (block !== undefined && (prefix === undefined || blockReference(block.id).ref_block_prefix === prefix))
      this.#apply(number);
  }

  /** Applies all blocks that both chains have. */
  advanceToTheEnd(): void {
    this.#apply(LAST_COMMON_BLOCK);
  }

  #apply(number: number): void {
    while (this.#chain.head.number < number)
      this.#chain.push(present(this.#blocks[this.#chain.head.number], 'a recorded block'));
  }

  #accept(transaction: SignedTransaction): string {
    const verified = verifyTransaction(this.#parameters.chainId, packTransaction(transaction));
    this.#chain.accept(verified);
    return verified.id;
  }

  /** A transaction that a call waits for is in the block where it was recorded. */
  async #broadcast(raw: RawBroadcast): Promise<BroadcastOutcome> {
    const { encoding } = raw;
    const order = broadcastRequest(raw, encoding);
    const transactionId = this.#accept(order.transaction);
    if (order.waitFor === 'accepted')
      return await Promise.resolve({
        transactionId,
        blockNumber: 0,
        transactionNumber: -1,
        expired: false,
        transaction: '',
      });
    const place = this.#places.get(transactionId) ?? { block: this.#chain.head.number, index: 0 };
    this.#apply(place.block);
    return {
      transactionId,
      blockNumber: place.block,
      transactionNumber: place.index,
      expired: false,
      transaction: writeJson(signedTransaction.toJson(order.transaction, encoding)),
    };
  }
}
