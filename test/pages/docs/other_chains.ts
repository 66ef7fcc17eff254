import { ownProcess } from '../../../src/jsonrpc/limits/request_source.ts';
import type { Chain } from '../../../src/chain/chain.ts';
import type { Json } from '../../../src/codec/json.ts';
import type { Sample } from '../../../src/pages/docs/samples.ts';
import { sampleOperation } from '../../../src/rpc/sample_transaction.ts';
import type { ChainParameters } from '../../../src/state/parameters.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import {
  hourlyBlocks,
  testKeyText,
  openChain,
  produce,
  testParameters,
  makeTransaction,
} from '../../builders/chain.ts';
import { growSide, partedParameters } from '../../builders/parted_witnesses.ts';
import { ProvingChain } from '../../builders/proving_chain.ts';
import { dispatcherOver } from '../../rpc/methods/node_of_methods.ts';

/**
 * Records operations that no development chain has: those of a private net in place of votes, and of a lost witness.
 */
export async function operationsOfOtherChains(): Promise<Record<string, Json>> {
  const props = { account_creation_fee: '0.050000 COIN', maximum_block_size: 262_144, price_feeds: [] };
  const witness = {
    fee: '0.000000 COIN',
    owner: 'alice',
    url: 'https://alice.example',
    block_signing_key: testKeyText('alice'),
    props,
  };
  const privateNet = new OtherChain(testParameters({ is_private_net: true }));
  privateNet.send('initminer', ['admin_witness_update', witness]);
  privateNet.produce(1);
  // A day is 24 blocks there.
  const outage = new OtherChain(testParameters(hourlyBlocks));
  const vested: Json = [
    'transfer_to_vesting',
    { fee: '0.000000 COIN', from: 'alice', to: '', amount: '300000.000000 COIN' },
  ];
  const vote: Json = [
    'account_witness_vote',
    { fee: '0.000000 COIN', account: 'alice', witness: 'alice', approve: true },
  ];
  outage.send('alice', vested, ['witness_update', witness], vote);
  outage.produce(40);
  return { ...(await outage.operations()), ...(await privateNet.operations()) };
}

/** Records answers about prices, once witnesses agree on one. */
export async function recordPrices(methods: Record<string, Sample>): Promise<void> {
  // Every third block sets prices, and its only witness says one.
  const times = { genesis_time: '2026-01-01T00:00:00', block_interval: 1200 };
  const chain = new OtherChain(testParameters({ ...times, max_witnesses: 10, max_voted_witnesses: 6 }));
  const exchange_rate = { base: '1.000000 COIN', quote: '0.250000 USD' };
  chain.send('initminer', ['feed_publish', { fee: '0.000000 COIN', publisher: 'initminer', exchange_rate }]);
  chain.produce(4);
  const asked: readonly (readonly [name: string, params: Json])[] = [
    ['alexandria_api.fiat_to_coin', { fiat: '1.000000 USD' }],
    ['alexandria_api.get_feed_history', { symbol: 'USD' }],
    ['database_api.get_feed_history', { symbol: 'USD' }],
    ['database_api.get_current_price_feed', { symbol: 'USD' }],
  ];
  for (const [name, params] of asked) methods[name] = { params, result: await chain.call(name, params) };
}

/** Records the proofs of a chain with finality. */
export async function recordProofs(methods: Record<string, Sample>): Promise<void> {
  const parameters = partedParameters({ finality: true, genesis_time: '2026-01-01T00:00:00' });
  const proving = new ProvingChain(new MemoryStore(), parameters);
  const { chain } = proving;
  const transfer = makeTransaction(chain, parameters, [sampleOperation], ['alice']);
  chain.accept(transfer);
  for (let number = 1; number <= 6; number++) {
    growSide(chain, ['initminer'], 1);
    proving.finalise(number);
  }
  const asked: readonly (readonly [name: string, params: Json])[] = [
    ['get_finality', {}],
    ['get_finality_proof', { block_num: 1, trusted_epoch: 0 }],
    ['get_transaction_proof', { transaction_id: transfer.id, trusted_epoch: 0 }],
  ];
  for (const [name, params] of asked)
    methods[`block_api.${name}`] = { params, result: await proving.ask<Json>(name, params) };
}

/** A chain in memory of which only the first witness makes blocks. */
class OtherChain {
  readonly #parameters: ChainParameters;
  readonly #store = new MemoryStore();
  readonly #chain: Chain;

  constructor(parameters: ChainParameters) {
    this.#parameters = parameters;
    this.#chain = openChain(parameters, this.#store);
  }

  send(signer: string, ...operations: Json[]): void {
    const expiration = this.#chain.head.time + 3600;
    this.#chain.accept(makeTransaction(this.#chain, this.#parameters, operations, [signer], { expiration }));
  }

  produce(blocks: number): void {
    const chain = this.#chain;
    for (let made = 0; made < blocks; made++) {
      const slot =
        [1, 2, 3, 4, 5, 6].find((each) => chain.findProductionSlot(chain.slotTime(each))?.witness === 'initminer') ?? 1;
      produce(chain, slot);
    }
  }

  async call(method: string, params: Json): Promise<Json> {
    const dispatcher = dispatcherOver(this.#chain, this.#store, this.#parameters);
    const answer = await dispatcher.dispatch(
      Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })),
      ownProcess,
    );
    const { result }: { readonly result: Json } = JSON.parse(answer?.toString() ?? '');
    return result;
  }

  /** The first of each kind. */
  async operations(): Promise<Record<string, Json>> {
    const operations: Record<string, Json> = {};
    for (let block_num = 1; block_num <= this.#chain.head.number; block_num++) {
      const params = { block_num, only_virtual: false };
      const { ops }: { ops: { op: [string, Json] }[] } = Object(
        await this.call('account_history_api.get_ops_in_block', params),
      );
      for (const { op } of ops) operations[op[0]] ??= op;
    }
    return operations;
  }
}
