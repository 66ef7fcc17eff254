import assert from 'node:assert/strict';
import { systemClock } from '../../../src/base/clock.ts';
import { openConnection } from '../../../src/client/connect.ts';
import type { NodeConnection } from '../../../src/client/connection.ts';
import { isJsonObject, type Json } from '../../../src/codec/json.ts';
import { writeJson } from '../../../src/codec/json_writer.ts';
import { devChain, type DevChain } from '../../../src/dev_chain/dev_chain.ts';
import type { Sample, Samples } from '../../../src/pages/docs/samples.ts';
import { listMethods } from '../../../src/rpc/methods.ts';
import { sampleOperation } from '../../../src/rpc/sample_transaction.ts';
import { profiles } from '../../../src/values/profile.ts';
import { CALL_MS, recordCall } from './record_call.ts';
import { recordNetwork } from './record_network.ts';
import { operationsOfOtherChains, recordPrices, recordProofs } from './other_chains.ts';
import { playScene, SCENE_BEGINS } from './scene.ts';

const profile = profiles['default'] ?? assert.fail();

/** The recording as it is kept: a line for each method and operation. */
export async function recordedText(): Promise<string> {
  const { methods, operations } = await recordSamples();
  return `{\n"methods": ${formatLines(methods)},\n"operations": ${formatLines(operations)}\n}\n`;
}

function formatLines(named: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(named).map(([name, value]) => `${JSON.stringify(name)}: ${writeJson(value)}`);
  return `{\n${lines.join(',\n')}\n}`;
}

/** Records every method's answer, and an example of every operation, on chains that are made for it. */
export async function recordSamples(): Promise<Samples> {
  const methods: Record<string, Sample> = {};
  const operations: Record<string, Json> = {};
  const chain = await devChain({ genesisTime: SCENE_BEGINS });
  const connection = openConnection(chain.url.replace('http', 'ws'), systemClock);
  try {
    await playScene(chain);
    await chain.call('debug_api.refuse_broadcasts', { every: 0 });
    const recorder = new Recorder(chain, connection);
    for (const [name, params] of recorder.calls()) methods[name] = await recorder.record(name, await params());
    await chain.send([['witness_stop', { owner: 'alice' }]], [chain.account('alice').key]);
    await recorder.collect(operations);
  } finally {
    connection.close();
    await chain.stop();
  }
  await recordNetwork(methods);
  await recordPrices(methods);
  await recordProofs(methods);
  methods['debug_api.set_price'] = await recordSetPrice();
  for (const [kind, operation] of Object.entries(await operationsOfOtherChains())) operations[kind] ??= operation;
  return { methods: sorted(methods), operations: sorted(operations) };
}

/** On a chain whose witnesses are enough for a price. */
async function recordSetPrice(): Promise<Sample> {
  const chain = await devChain({ genesisTime: SCENE_BEGINS, witnesses: 7 });
  try {
    const params = { price: '0.120000 USD' };
    return { params, result: { ...(await chain.call('debug_api.set_price', params)) } };
  } finally {
    await chain.stop();
  }
}

function sorted<T>(named: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(named).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Methods whose effects others should not see come last. */
const LAST = ['broadcast', 'push_', 'send_and', 'debug_api', 'unsubscribe'];

class Recorder {
  readonly #chain: DevChain;
  readonly #connection: NodeConnection;

  constructor(chain: DevChain, connection: NodeConnection) {
    this.#chain = chain;
    this.#connection = connection;
  }

  /** Lists the calls, in order. */
  calls(): [string, () => Promise<Json>][] {
    const methods = [...listMethods(profile, { debug: true }).values()];
    const place = (name: string): number => LAST.findIndex((part) => name.includes(part));
    return methods
      .toSorted((a, b) => place(a.name) - place(b.name) || (a.name < b.name ? -1 : 1))
      .map(({ name, example }) => [name, () => this.#makeParams(name, example.params)]);
  }

  async record(name: string, params: Json): Promise<Sample> {
    return await recordCall(this.#connection, name, params);
  }

  /** The operations of all blocks, the first of each kind. */
  async collect(operations: Record<string, Json>): Promise<void> {
    const { info } = await this.#chain.call('alexandria_api.info', {});
    for (let block_num = 1; block_num <= info.head_block_number; block_num++) {
      const { ops }: { ops: { op: [string, Json] }[] } = Object(
        await this.#connection.call(
          'account_history_api.get_ops_in_block',
          { block_num, only_virtual: false },
          { timeoutMs: CALL_MS, repeatable: false },
        ),
      );
      for (const { op } of ops) operations[op[0]] ??= op;
    }
  }

  /** The declared example, where it speaks of a transaction or a block one that is here. */
  async #makeParams(name: string, example: Json): Promise<Json> {
    if (!isJsonObject(example)) return example;
    const chain = this.#chain;
    const sent = await this.#firstTransfer();
    if (/\.(?:get|find)_transaction$/.test(name))
      return Object.fromEntries(Object.keys(example).map((member) => [member, sent]));
    if (name === 'debug_api.revert') return { id: await chain.snapshot() };
    if (name.endsWith('get_ops_in_block')) return { ...example, block_num: 2 };
    if (name === 'subscribe_api.unsubscribe') {
      await this.#connection.call(
        'subscribe_api.subscribe_blocks',
        { return_id: 2 },
        { timeoutMs: CALL_MS, repeatable: true },
      );
      return example;
    }
    if ('block' in example) return { block: await this.#nextBlock() };
    const transaction = Object.keys(example).find((member) => member === 'tx' || member === 'trx');
    if (transaction !== undefined) return { ...example, [transaction]: await this.#makeTransaction(name) };
    if ('ref_block_num' in example) return await this.#makeTransaction(name);
    return example;
  }

  async #firstTransfer(): Promise<string> {
    const { transaction_ids } = Object(
      await this.#connection.call('block_api.get_block', { block_num: 2 }, { timeoutMs: CALL_MS, repeatable: false }),
    );
    return String(transaction_ids[0]);
  }

  /** A transfer with its signature, as wallets send it; without, where the method signs. */
  async #makeTransaction(name: string): Promise<Json> {
    const { client } = this.#chain;
    const built = await this.#connection.call(
      'alexandria_api.create_transaction',
      { op_vec: [sampleOperation] },
      { timeoutMs: CALL_MS, repeatable: false },
    );
    const unsigned = Object(built).tx;
    // Each one differs, so that none is known already.
    unsigned.operations[0][1].memo = `for ${name}`;
    if (/send_and|required|add_signature|digest/.test(name)) return unsigned;
    const { signatures } = await client.sign(unsigned, [this.#chain.account('alice').key]);
    return { ...unsigned, signatures };
  }

  /** The block that comes next, made and taken back. */
  async #nextBlock(): Promise<Json> {
    const before = await this.#chain.snapshot();
    const { head_block_number } = await this.#chain.mine();
    const { block } = Object(
      await this.#connection.call(
        'alexandria_api.get_block',
        { num: head_block_number },
        { timeoutMs: CALL_MS, repeatable: false },
      ),
    );
    await this.#chain.revert(before);
    const { block_id: _, signing_key: __, transaction_ids: ___, ...signed } = block;
    return signed;
  }
}
