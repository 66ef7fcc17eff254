import { errorMessage } from '../../base/error_message.ts';
import type { Clock } from '../../base/clock.ts';
import { present } from '../../base/assert.ts';
import { refusals } from '../../base/refusal.ts';
import { checkpointText, type Checkpoint } from '../../values/checkpoint.ts';
import { isMilestone } from '../../blocks/finality/epochs.ts';
import type { FinalityProof } from '../../blocks/finality/finality_proof.ts';
import { provenBlock, provenTransaction, type ProvenBlock } from '../../blocks/finality/proven.ts';
import type { Trust, TrustChecks } from '../../blocks/finality/trust.ts';
import { NO_VOTERS, type VoteSubject } from '../../blocks/finality/vote.ts';
import { isVoteSigned } from '../../blocks/finality/vote_signature.ts';
import { getBlockNumber } from '../../values/hash.ts';
import { timeText } from '../../values/time.ts';
import { NodeNonsense, NodeSilent } from '../answer.ts';
import { NodeRefusal } from '../node_refusal.ts';
import type { NodeConnection } from '../connection.ts';
import type { Following } from '../follow.ts';
import { SeveralNodes } from '../several_nodes.ts';
import type { FinalHead, VerifiedBlock, VerifiedTransaction } from './proven_results.ts';
import { makeEvidence } from './make_evidence.ts';
import { NodesDiffer } from './nodes_differ.ts';
import { PaymentFollowers, type PaymentListener, type PaymentOptions } from './payments.ts';
import { plainOperations } from './plain_operations.ts';
import { ProofNode } from './proof_node.ts';
import { VerifiedCertificates } from './verified_certificates.ts';

const refuse = refusals({
  not_a_transaction_id: 'the id of a transaction has 40 hexadecimal digits, got {given}',
  contradicts_earlier_proof:
    'what {node} proves of block {number} and epoch {epoch} contradicts what was proven before: stop, and ask people you trust',
  no_second_node:
    'fewer than two thirds of the trusted voters signed what {node} shows, and no second node confirms it: {why}',
});

export interface VerifiedParts {
  /** The checkpoint that is trusted, as its text states it. */
  readonly checkpoint: {
    readonly number: number;
    readonly id: string;
    readonly voters: string;
    readonly time: number;
  };
  readonly nodes: readonly { readonly url: string; readonly connection: NodeConnection }[];
  readonly clock: Clock;
  readonly keyPrefix: string;
}

/** The head is asked for anew when what is known of it was proven longer ago. */
const HEAD_MS = 3000;

/**
 * Asks nodes and believes none of them: each answer is proven from the checkpoint on, or refused. Whatever node proves
 * something is asked first the next time; after a false proof another one is.
 */
export class VerifiedClient {
  readonly #nodes: readonly ProofNode[];
  readonly #clock: Clock;
  readonly #keyPrefix: string;
  readonly #begun: Checkpoint;
  readonly #verified = new VerifiedCertificates();
  #first = 0;
  /** Undefined before the first proof. */
  #trust: Trust | undefined;
  /** The newest block that was proven: it stays final, whatever a node tells later. */
  #head: ProvenBlock | undefined;
  #milestone: Pick<Trust, 'epoch' | 'digest' | 'epochBlocks'> | undefined;
  #headAskedMs = -Infinity;
  #stopped: NodesDiffer | undefined;
  readonly #followers: PaymentFollowers;

  constructor({ checkpoint, nodes, clock, keyPrefix }: VerifiedParts) {
    this.#nodes = nodes.map((each) => new ProofNode(each));
    this.#clock = clock;
    this.#keyPrefix = keyPrefix;
    this.#begun = checkpoint;
    this.#followers = new PaymentFollowers(new SeveralNodes(nodes, async () => await Promise.resolve()), {
      clock,
      nodes: nodes.length,
      transaction: async (id) => await this.transaction(id),
    });
  }

  /**
   * The transaction, proven to be in a final block. Throws the typed reason when the proof is false, and what the node
   * says when it gives none: that a transaction is unknown or pending is a claim that nothing proves.
   */
  async transaction(id: string): Promise<VerifiedTransaction> {
    if (!/^[0-9a-f]{40}$/.test(id)) refuse.not_a_transaction_id({ given: id });
    const { transaction, packed, block } = await this.#proven(async (node, trust) => {
      const proof = await node.transaction(id, trust.epoch);
      const proven = provenTransaction(trust, id, proof, this.#checks());
      await this.#believe(node, trust, proof.finality, proven.block);
      return proven;
    });
    return {
      ...{ id, block_num: block.number, block_id: block.id, timestamp: timeText(block.header.timestamp) },
      expiration: timeText(transaction.expiration),
      operations: await plainOperations(transaction, this.#keyPrefix),
      packed: toHex(packed),
      head: await this.#headAtHand(),
    };
  }

  /** The header of a block that is proven to be final. */
  async block(number: number): Promise<VerifiedBlock> {
    const { id, header, packed } = await this.#proven(
      async (node, trust) => await this.#provenBlock(node, trust, number),
    );
    const { previous, timestamp, witness, transaction_merkle_root } = header;
    const shown = { previous, timestamp: timeText(timestamp), witness, transaction_merkle_root };
    return { number, id, ...shown, packed: toHex(packed), head: await this.#headAtHand() };
  }

  /** The newest block that is proven to be final. Nodes are asked for it again a slot later. */
  async head(): Promise<FinalHead> {
    if (this.#clock.elapsedMs() - this.#headAskedMs >= HEAD_MS) {
      await this.#proven(async (node, trust) => {
        const { finalBlock } = await node.finality();
        return await this.#provenBlock(node, trust, finalBlock);
      });
      this.#headAskedMs = this.#clock.elapsedMs();
    }
    return this.#shownHead();
  }

  /** Without a newer proof the known one is shown: its age says so. */
  async #headAtHand(): Promise<FinalHead> {
    try {
      return await this.head();
    } catch (error) {
      if (isWithoutProof(error)) return this.#shownHead();
      throw error;
    }
  }

  #shownHead(): FinalHead {
    const { number, id, header } = present(this.#head, 'a head that is proven');
    const ageSeconds = Math.max(0, Math.trunc(this.#clock.nowMs() / 1000) - header.timestamp);
    return { number, id, timestamp: timeText(header.timestamp), ageSeconds, epoch: this.#trust?.epoch ?? 0 };
  }

  /**
   * The newest checkpoint that was proven on the way, for the next start of the program; the first one until there is
   * another. Nodes keep the voters of one epoch of 64 for good, and checkpoints name these.
   */
  async checkpoint(): Promise<string> {
    await this.head();
    const { epoch, digest: voters, epochBlocks } = this.#milestone ?? {};
    if (epoch === undefined || voters === undefined || epochBlocks === undefined) return checkpointText(this.#begun);
    const number = epoch * epochBlocks;
    const { id, header } = await this.#proven(async (node, trust) => await this.#provenBlock(node, trust, number));
    return checkpointText({ number, id, voters, time: header.timestamp });
  }

  /** Hears of transfers that an account sends or receives, each proven to be in a final block, in the order of blocks. */
  async follow(options: PaymentOptions, listener: PaymentListener): Promise<Following> {
    return await this.#followers.follow(options, listener);
  }

  close(): void {
    this.#followers.stop();
    for (const { connection } of this.#nodes) connection.close();
  }

  /**
   * Returns the first node's proof; another node is asked when one refuses or is silent, but not after a false proof.
   */
  async #proven<T>(prove: (node: ProofNode, trust: Trust) => Promise<T>): Promise<T> {
    let failure: unknown;
    const first = this.#first;
    for (let tried = 0; tried < this.#nodes.length; tried++) {
      const at = (first + tried) % this.#nodes.length;
      try {
        const proven = await this.#proveWith(present(this.#nodes[at], 'a node'), prove);
        this.#first = at;
        return proven;
      } catch (error) {
        this.#first = (at + 1) % this.#nodes.length;
        if (!isWithoutProof(error)) throw error;
        failure ??= error;
      }
    }
    throw failure;
  }

  /** A proof has a few steps only; where more are needed the node names the block that it can prove first. */
  async #proveWith<T>(node: ProofNode, prove: (node: ProofNode, trust: Trust) => Promise<T>): Promise<T> {
    for (;;) {
      if (this.#stopped !== undefined) throw this.#stopped;
      const trust = this.#trust ?? (await node.trust(this.#begun));
      try {
        return await prove(node, trust);
      } catch (error) {
        const reached = error instanceof NodeRefusal && error.code === 'checkpoint_too_far' && error.details['reached'];
        if (typeof reached !== 'number') throw error;
        const { trust: later } = await this.#provenBlock(node, trust, reached);
        if (later.epoch <= trust.epoch) throw error;
      }
    }
  }

  async #provenBlock(node: ProofNode, trust: Trust, number: number): Promise<ProvenBlock> {
    const proof = await node.block(number, trust.epoch);
    const block = provenBlock(trust, number, proof, this.#checks());
    await this.#believe(node, trust, proof, block);
    return block;
  }

  #checks(): TrustChecks {
    const nowSeconds = Math.trunc(this.#clock.nowMs() / 1000);
    return { verify: isVoteSigned, nowSeconds, isVerified: (certificate) => this.#verified.has(certificate) };
  }

  /** Takes on what a proof has made trusted, once another node was asked about voters of another epoch. */
  async #believe(node: ProofNode, before: Trust, proof: FinalityProof, block: ProvenBlock): Promise<void> {
    const { trust } = block;
    for (const { certificate } of [...proof.steps, proof]) this.#verified.add(certificate);
    if (trust.epoch > before.epoch && this.#nodes.length > 1) await this.#confirm(node, before, proof, trust);
    const known = this.#trust;
    const differs = trust.epoch === known?.epoch && trust.digest !== known.digest;
    if (differs || (block.number === this.#head?.number && block.id !== this.#head.id))
      refuse.contradicts_earlier_proof({ node: node.url, number: block.number, epoch: trust.epoch });
    if (known === undefined || trust.epoch > known.epoch) this.#trust = trust;
    else if (trust.epoch === known.epoch)
      this.#trust = { ...known, since: Math.max(known.since, trust.since), next: known.next ?? trust.next };
    if (block.number > (this.#head?.number ?? 0)) this.#head = block;
    for (const { certificate } of [...proof.steps, proof]) this.#noteMilestone(certificate.subject, trust.epochBlocks);
  }

  #noteMilestone({ epoch, voters, next_voters }: VoteSubject, epochBlocks: number): void {
    const newest = this.#milestone?.epoch ?? this.#begun.number / epochBlocks;
    if (isMilestone(epoch) && epoch > newest) this.#milestone = { epoch, digest: voters, epochBlocks };
    else if (isMilestone(epoch + 1) && epoch + 1 > newest && next_voters !== NO_VOTERS)
      this.#milestone = { epoch: epoch + 1, digest: next_voters, epochBlocks };
  }

  /** Asks the other nodes for the block of a certificate by other voters than before. Stops when one proves another block. */
  async #confirm(node: ProofNode, before: Trust, shown: FinalityProof, trust: Trust): Promise<void> {
    const { block, epoch } = shown.certificate.subject;
    let failure: unknown;
    for (const other of this.#nodes) {
      if (other === node) continue;
      try {
        const proof = await other.block(getBlockNumber(block), before.epoch);
        const proven = provenBlock(before, getBlockNumber(block), proof, this.#checks());
        const differs = proven.id !== block || (proven.trust.epoch === epoch && proven.trust.digest !== trust.digest);
        if (!differs) return;
        const { chain } = trust;
        const evidence = [
          makeEvidence(node.url, chain, shown, block),
          makeEvidence(other.url, chain, proof, proven.id),
        ] as const;
        this.#stopped = new NodesDiffer(evidence);
        throw this.#stopped;
      } catch (error) {
        if (error === this.#stopped) throw error;
        failure ??= error;
      }
    }
    if (trust.isByThird) refuse.no_second_node({ node: node.url, why: errorMessage(failure) });
  }
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** The node has said nothing, or that it has no proof: another one may have it. A false proof is what it is. */
function isWithoutProof(error: unknown): boolean {
  return error instanceof NodeSilent || error instanceof NodeNonsense || error instanceof NodeRefusal;
}
