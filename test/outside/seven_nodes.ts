import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { copyJournals } from '../builders/stopped_chain.ts';
import { witnessChain, type WitnessChain } from '../builders/witness_chain.ts';
import { at, listMember, numberMember, textMember, type Json } from './json.ts';
import { agree, nodeId, peerPort } from './network_nodes.ts';
import type { Machine, Program } from './program.ts';
import { Relay, type Way } from './relay.ts';
import { send, transfer } from './signer.ts';
import type { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

const WITNESSES = 5;
/** The node whom users ask, and the one that comes late: neither produces. */
export const [RPC, LATE] = [5, 6];

/** The machines of seven nodes, and the ways to disturb their links. */
export interface Ground {
  /** Undefined on this machine. */
  nodeMachine(node: number): Machine | undefined;
  /** The address of relays, as all nodes reach it. */
  readonly relayHost: string;
  /** Takes nodes off the network; undefined where relays are cut instead. */
  readonly cutOff?: (nodes: readonly number[], isCut: boolean) => void;
}

/** Differences from seven nodes whose blocks confirmations make final. */
export interface SevenNodesOptions {
  readonly finality?: boolean;
  readonly flagsOf?: (node: number) => readonly string[];
}

export const ownMachine: Ground = { nodeMachine: () => undefined, relayHost: '127.0.0.1' };

/** Relays make all come from one address. */
const MANY_OF_ADDRESS =
  '{"inbound_of_address":50,"inbound_of_group":50,"unfinished_of_address":50,"unfinished_of_group":50,"unfinished":200,"handshakes_per_second":200,"handshakes_per_second_of_address":100}';

/**
 * Five witnesses, a node for users and a late one, from the command line, each behind relays from all that came before
 * it.
 */
export class SevenNodes {
  readonly programs: Program[] = [];
  readonly #site: Site;
  readonly #chain: WitnessChain;
  readonly #way: Way;
  readonly #ground: Ground;
  readonly #furtherFlags: (node: number) => readonly string[];
  /** By who dials and whom. */
  readonly #relays = new Map<string, Relay>();
  readonly #ports: (number | undefined)[] = [];

  private constructor(
    site: Site,
    chain: WitnessChain,
    way: Way,
    { ground, flagsOf }: { ground: Ground; flagsOf: (node: number) => readonly string[] },
  ) {
    this.#ground = ground;
    this.#furtherFlags = flagsOf;
    this.#site = site;
    this.#chain = chain;
    this.#way = way;
  }

  /** With `finality` votes make blocks final; `flagsOf` are further flags of a node. */
  static async start(
    site: Site,
    way: Way,
    ground = ownMachine,
    { finality = false, flagsOf = (): readonly string[] => [] }: SevenNodesOptions = {},
  ): Promise<SevenNodes> {
    const chain = await witnessChain(site.path('origin'), WITNESSES, 0, { finality });
    const net = new SevenNodes(site, chain, way, { ground, flagsOf });
    for (let node = 0; node < LATE; node++) await net.startOne(node);
    return net;
  }

  /** Starts a node, or starts it again where it was. */
  async startOne(node: number): Promise<Program> {
    const folder = this.#site.path(`node${node}`);
    // Whoever comes late has nothing; the others were there when the chain began.
    if (node < LATE && !existsSync(folder)) this.#giveOrigin(node, folder);
    const program = this.#site.start(
      ['run', ...(await this.#nodeFlags(node, folder))],
      {},
      this.#ground.nodeMachine(node),
    );
    await program.ready();
    this.programs[node] = program;
    this.#ports[node] = Number(peerPort(program));
    return program;
  }

  /** The chain, and what its witness has signed of it. */
  #giveOrigin(node: number, folder: string): void {
    const { dataFolder, witnesses } = this.#chain;
    cpSync(dataFolder, folder, { recursive: true });
    const witness = witnesses[node];
    if (witness === undefined) return;
    copyJournals(dataFolder, witness.name, `${folder}.signed`);
  }

  async #nodeFlags(node: number, folder: string): Promise<string[]> {
    const witness = this.#chain.witnesses[node];
    const seeds: string[] = [];
    const { relayHost } = this.#ground;
    const host = this.nodeHost(node);
    for (let other = 0; other < Math.min(node, RPC + 1); other++)
      seeds.push('--p2p-seed-node', `${relayHost}:${await this.#relay(node, other)}`);
    return [
      ...['--genesis-json', this.#chain.genesisFile, '--data-dir', folder, '--webserver-http-endpoint', `${host}:0`],
      ...['--p2p-parameters', MANY_OF_ADDRESS, ...this.#furtherFlags(node)],
      ...['--p2p-endpoint', `${host}:${this.#ports[node] ?? 0}`, '--p2p-peer-exchange', 'false', ...seeds],
      ...(witness === undefined
        ? []
        : ['--witness', witness.name, '--private-key', witness.wif, '--enable-stale-production']),
    ];
  }

  async #relay(from: number, to: number): Promise<number> {
    const key = `${from} ${to}`;
    const relay =
      this.#relays.get(key) ??
      (await Relay.open(this.nodeHost(to), () => this.#ports[to], this.#way, this.#ground.relayHost));
    this.#relays.set(key, relay);
    return relay.port;
  }

  nodeHost(node: number): string {
    return this.#ground.nodeMachine(node)?.host ?? '127.0.0.1';
  }

  /** Kills a node as a failure of power does, and starts it again. */
  async killAndRestart(node: number): Promise<void> {
    const before = this.nodeProgram(node);
    const id = nodeId(before);
    before.kill();
    await before.exited;
    assert.equal(nodeId(await this.startOne(node)), id);
  }

  /** All witnesses lose power at once, and start again: meanwhile nobody makes blocks. */
  async killAndRestartWitnesses(): Promise<void> {
    const witnesses = Array.from({ length: WITNESSES }, (_, node) => node);
    for (const node of witnesses) this.nodeProgram(node).kill();
    await Promise.all(witnesses.map((node) => this.nodeProgram(node).exited));
    await Promise.all(witnesses.map((node) => this.startOne(node)));
  }

  nodeProgram(node: number): Program {
    return this.programs[node] ?? assert.fail(`node ${node} was never started`);
  }

  /** Nothing gets through between these nodes and the others any more. */
  part(side: readonly number[]): void {
    if (this.#ground.cutOff !== undefined) return this.#ground.cutOff(side, true);
    for (const [key, relay] of this.#relays) {
      const [from = 0, to = 0] = key.split(' ').map(Number);
      if (side.includes(from) !== side.includes(to)) relay.cut();
    }
  }

  heal(side: readonly number[]): void {
    this.#ground.cutOff?.(side, false);
    for (const relay of this.#relays.values()) relay.heal();
  }

  /** Waits until all have had one head and one state, which is above that number. */
  async together(above: number): Promise<number> {
    return (await agree(this.programs, above)).number;
  }

  /** Posts a payment at a node and waits for its block. */
  async pay(node: number, memo: string): Promise<{ readonly id: string; readonly block: number }> {
    return await send(this.nodeProgram(node), [transfer('alice', 'bob', '0.000001', memo)], 'alice');
  }

  /**
   * Every payment is in the irreversible part of every node's chain, in the block that was told unless that one lost
   * against another.
   */
  async assertKept(payments: readonly { readonly id: string; readonly block: number }[]): Promise<void> {
    const last = Math.max(...payments.map(({ block }) => block));
    for (const program of this.programs) {
      await waitUntil('the last payment to be irreversible', async () => {
        const { properties }: { properties: Json } = Object(
          await program.result('alexandria_api.get_dynamic_global_properties'),
        );
        return numberMember(properties, 'last_irreversible_block_num') >= last ? true : undefined;
      });
      for (const { id, block } of payments) {
        const found = at(await program.result('alexandria_api.get_transaction', { tx_id: id }), 'tx');
        assert.ok(
          numberMember(found, 'block_num') >= block,
          `${id} is in block ${block} or, when it has left that one, in a later one`,
        );
      }
    }
  }

  /** Checks the witnesses' journals: no slot twice, and each block of the chain by its signer. */
  async assertNoSlotTwice(): Promise<void> {
    const signed = new Map<string, string>();
    for (let node = 0; node < WITNESSES; node++) {
      const lines = readFileSync(this.#site.path(`node${node}.signed`), 'utf8')
        .trimEnd()
        .split('\n');
      for (const line of lines) {
        const { key, slot, id }: { key: string; slot: number; id: string } = JSON.parse(line);
        // Two branches may give a slot to two witnesses; none signs it for both.
        const turn = `${key} ${slot}`;
        assert.ok(!signed.has(turn), `slot ${slot} was signed twice with ${key}`);
        signed.set(turn, id);
      }
    }
    const rpc = this.nodeProgram(RPC);
    const { number } = await rpc.health();
    const ids = new Set(signed.values());
    for (let block = number - 5; block <= number; block++) {
      const found = await rpc.result('block_api.get_block', { block_num: block });
      assert.ok(ids.has(textMember(found, 'block_id')), `block ${block} was written down`);
    }
  }

  /** Waits until the blocks above one have at least so many transactions. */
  async haveTransactions(above: number, least: number): Promise<void> {
    const rpc = this.nodeProgram(RPC);
    await waitUntil(`${least} transactions in blocks`, async () => {
      const { number } = await rpc.health();
      let count = 0;
      for (let block = above + 1; block <= number; block++)
        count += listMember(await rpc.result('block_api.get_block', { block_num: block }), 'transactions').length;
      return count >= least || undefined;
    });
  }

  async stop(): Promise<void> {
    for (const program of this.programs) assert.equal(await program.stop(), 0);
    for (const relay of this.#relays.values()) relay.close();
  }
}

/** Posting takes half a minute while witnesses are killed, the look for the last transfer two. */
const LOAD_MS = 150_000;

/** Plays everything that seven nodes must bear: `seconds` is the duration of the split. */
export async function bearEverything(site: Site, way: Way, partedSeconds: number, ground = ownMachine): Promise<void> {
  const net = await SevenNodes.start(site, way, ground);
  const first = await net.together(0);
  let head = first;
  const payments = [await net.pay(RPC, 'at the node for users'), await net.pay(1, 'at a witness')];

  const load = site.start([
    'load',
    '--url',
    `http://${net.nodeHost(RPC)}:${net.nodeProgram(RPC).port}`,
    '--count',
    '2000',
    '--connections',
    '2',
  ]);
  await net.startOne(LATE);
  for (let node = 0; node < WITNESSES; node++) await net.killAndRestart(node);
  // It ends when it has found the last transfer in a block, or has looked for it for two minutes.
  await Promise.race([load.exited, pause(LOAD_MS, undefined, { ref: false })]);
  assert.match(load.stdout, /accepted +2000\n/, load.stderr);
  head = await net.together(head);

  payments.push(await net.pay(RPC, 'before all witnesses are killed'));
  await net.killAndRestartWitnesses();
  payments.push(await net.pay(RPC, 'when all have started again'));
  head = await net.together(head);

  const smaller = [0, 1];
  net.part(smaller);
  // Who is off the network can't be asked either.
  const asked = ground.cutOff === undefined ? [0, RPC] : [RPC];
  const parted = asked.map((node) => net.pay(node, `while parted, at ${node}`));
  await pause(partedSeconds * 1000);
  net.heal(smaller);
  payments.push(...(await Promise.all(parted)));
  head = await net.together(head);

  for (const node of [RPC, LATE]) await net.killAndRestart(node);
  payments.push(await net.pay(LATE, 'at the late one'));
  await net.together(head);
  // Blocks of killed witnesses give way, and nodes that join are told again what is in none.
  await net.haveTransactions(first, 2000 + payments.length);
  await net.assertKept(payments);
  await net.assertNoSlotTwice();
  await net.together(head);
  await net.stop();
}
