import assert from 'node:assert/strict';
import type { LogFields } from '../../src/base/log.ts';
import { makeNodeId } from '../builders/pipes.ts';
import type { SimNode } from './sim_node.ts';

const MIB = 1024 * 1024;

/** Invariants that must hold behind every event, whatever happens to the network. */
export class SimChecks {
  /** Ids of nodes that follow no rules. */
  readonly liars = new Set<string>();
  /** Witnesses that may sign a slot twice. */
  readonly twoFaced = new Set<string>();
  /** Nodes that may believe liars for a while, by name. */
  readonly deceived = new Set<string>();
  readonly finals = new Map<number, string>();
  readonly lines: string[] = [];
  /** When the last honest node had each block as its head, by the block's id. */
  readonly arrivedMs = new Map<string, number>();
  /** Milliseconds after its slot at which each honest node knew a block as final. */
  readonly finalTimesMs: number[] = [];
  /**
   * Milliseconds after its slot at which each block was final for each honest node, by a certificate of its own or of a
   * later block.
   */
  readonly blockFinalTimesMs: number[] = [];
  readonly #hashes = new Map<string, string>();
  readonly #signed = new Map<string, string>();
  readonly #finalOf = new Map<SimNode, number>();

  headMoved(node: SimNode): void {
    const { id, stateHash, lastIrreversible } = node.chain.head;
    const known = this.#hashes.get(id);
    assert(known === undefined || known === stateHash, `${node.options.name} has another state behind block ${id}`);
    this.#hashes.set(id, stateHash);
    this.arrivedMs.set(id, node.world.heap.nowMs);
    if (this.liars.has(node.id) || this.deceived.has(node.options.name)) return;
    for (let number = (this.#finalOf.get(node) ?? 0) + 1; number <= lastIrreversible; number++) {
      const block = node.chain.block(number);
      const final = block?.id ?? '';
      if (block !== undefined) this.blockFinalTimesMs.push(node.world.heap.nowMs - block.header.timestamp * 1000);
      const other = this.finals.get(number);
      assert(other === undefined || other === final, `block ${number} is final twice, at last at ${node.options.name}`);
      this.finals.set(number, final);
    }
    this.#finalOf.set(node, Math.max(lastIrreversible, this.#finalOf.get(node) ?? 0));
  }

  finalised(node: SimNode, afterMs: number): void {
    // By the time of the world: the clock of the node is wrong.
    if (!this.liars.has(node.id)) this.finalTimesMs.push(afterMs - node.clockOffsetMs);
  }

  signs(node: SimNode, witness: string, key: string, timestamp: number): void {
    const slot = `${key} ${timestamp}`;
    assert(
      !this.#signed.has(slot) || this.twoFaced.has(witness),
      `the key of ${node.options.name} signs ${timestamp} twice for ${witness}`,
    );
    this.#signed.set(slot, node.options.name);
  }

  logged(node: SimNode, text: string, fields: LogFields = {}): void {
    this.lines.push(`${node.options.name}: ${text}`);
    if (this.lines.length > 20_000) this.lines.shift();
    const isHarsh = /^banned|malformed|misbehaved|over_limit|has another block/.test(text);
    const deceived = new Set([...this.deceived].map(makeNodeId));
    // Whoever believed a liar says what the liar says.
    const isBetweenHonest = [node.id, String(fields['peer'])].every((id) => !this.liars.has(id) && !deceived.has(id));
    assert(!isHarsh || !isBetweenHonest, `${node.options.name} about an honest node: ${text}`);
  }

  bounds(nodes: Iterable<SimNode>): void {
    for (const { network, isRunning, options } of nodes) {
      if (!isRunning) continue;
      const { connections, sync, blocks, transactions, pool } = network;
      assert(
        connections.halfReceivedBytes <= 64 * MIB && connections.halfReceivedBytes >= 0,
        `${options.name}: half-received bytes`,
      );
      assert(sync.aheadBytes <= 68 * MIB, `${options.name}: ${sync.aheadBytes} bytes ahead`);
      assert(blocks.wanted <= 64, `${options.name}: blocks wanted`);
      assert(transactions.submittedBytes <= 16 * MIB && transactions.submittedBytes >= 0, `${options.name}: bundles`);
      assert(transactions.keptBytes <= 64 * MIB, `${options.name}: kept bundles`);
      assert(transactions.fetches <= 4096, `${options.name}: bundles announced`);
      assert(pool.bytes <= 64 * MIB && pool.bytes >= 0 && pool.includedBytes <= 64 * MIB, `${options.name}: the pool`);
      assert(connections.count <= 40 + 64, `${options.name}: connections`);
      for (const { channel } of connections.live) assert(channel.queuedBytes <= 66 * MIB, `${options.name}: a queue`);
    }
  }
}
