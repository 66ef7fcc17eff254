import assert from 'node:assert/strict';
import { AssertionFailure, present } from '../../../src/base/assert.ts';
import type { Clock } from '../../../src/base/clock.ts';
import { proveTransaction } from '../../../src/blocks/prove.ts';
import { packTransaction, signedTransaction } from '../../../src/blocks/transaction.ts';
import type { Chain } from '../../../src/chain/chain.ts';
import type { Json } from '../../../src/codec/json.ts';
import { readJson } from '../../../src/codec/json_reader.ts';
import { writeJson } from '../../../src/codec/json_writer.ts';
import { Dispatcher } from '../../../src/rpc/dispatch.ts';
import { defaultLimits } from '../../../src/rpc/limits.ts';
import { GROUP_OF_BARE_NAMES, methodsOf } from '../../../src/rpc/methods.ts';
import { sampleOperation, sampleTransaction } from '../../../src/rpc/sample_transaction.ts';
import type { BroadcastOutcome, RawBroadcast, Services, Subscriber } from '../../../src/rpc/services.ts';
import { accountRowsOf } from '../../../src/state/records/account.ts';
import type { ChainParameters } from '../../../src/state/parameters.ts';
import type { KeyValueReader } from '../../../src/storage/key_value.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { View } from '../../../src/storage/view.ts';
import { parseTime } from '../../../src/values/time.ts';
import { emptyChain } from '../empty_chain.ts';
import { keyTextOf, openChain, produce, testParameters, transactionOn } from '../../builders/chain.ts';

/** An answer as a client reads it. */
export interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> };
}

/** A connection that hears nothing. */
const listener: Subscriber = { push: () => true, unsentBytes: () => 0, drop: () => undefined, onClose: () => undefined };

const GENESIS = '2026-01-01T00:00:00';

/** A node in one thread: a chain with everything on it that the examples of the methods speak of, and a dispatcher over it. */
export class NodeOfMethods {
  readonly parameters: ChainParameters = testParameters({ genesis_time: GENESIS });
  readonly methods = methodsOf(this.parameters.profile);
  readonly chain: Chain;
  readonly reports: unknown[] = [];
  readonly #dispatcher: Dispatcher;

  constructor() {
    const store = new MemoryStore();
    this.chain = openChain(this.parameters, store);
    fill(this.chain, this.parameters);
    const { chain, parameters } = this;
    this.#dispatcher = dispatcherOver(chain, store, parameters, {
      broadcast: (raw) => this.#broadcast(raw),
      pushTransaction: async (transaction) => {
        await Promise.resolve();
        chain.accept(proveTransaction(parameters.chainId, packTransaction(transaction)));
      },
      pendingAccounts: (names) => Promise.resolve(names.map((name) => accountRowsOf(chain.pendingRows, name))),
      subscribe: () => undefined,
      report: (error) => void this.reports.push(error),
    });
  }

  /** Sends a body and reads the answer. */
  async send(body: Json): Promise<Answer> {
    const text = await this.#dispatcher.dispatch(Buffer.from(writeJson(body)), listener);
    const answer: Answer = JSON.parse(present(text, 'an answer'));
    return answer;
  }

  call(method: string, params: Json = {}): Promise<Answer> {
    return this.send({ jsonrpc: '2.0', id: 1, method, params });
  }

  /** The result, or a failed test that shows the error. */
  async result(method: string, params: Json = {}): Promise<unknown> {
    const { result, error } = await this.call(method, params);
    if (error !== undefined) throw new Error(`${method} ${writeJson(params)}: ${error.code} ${error.message}`);
    return result;
  }

  /** As a verifier and the writer do it: read, prove, apply, and a block at once where one is waited for. */
  async #broadcast({ method, params, notation }: RawBroadcast): Promise<BroadcastOutcome> {
    const { run } = present(this.methods.get(method), method);
    if (run.thread !== 'broadcast') throw new Error(`${method} broadcasts nothing`);
    const order = run.order({ json: readJson(params), positional: notation.dialect === 'legacy' }, notation);
    const { transaction } = order;
    const proved = proveTransaction(this.parameters.chainId, packTransaction(transaction));
    const outcome = { transactionId: proved.id, transaction: writeJson(signedTransaction.toJson(transaction, notation)), expired: false };
    this.chain.accept(proved);
    if (order.waitFor === 'accepted') return await Promise.resolve({ ...outcome, blockNumber: 0, transactionNumber: -1 });
    const block = produce(this.chain);
    return { ...outcome, blockNumber: block.number, transactionNumber: block.transactions.findIndex(({ id }) => id === proved.id) };
  }
}

/** All methods over a chain that lies in a store. */
export function dispatcherOver(
  chain: Chain,
  store: KeyValueReader,
  parameters: ChainParameters,
  services: Partial<Services> = {},
): Dispatcher {
  const { coinSymbol, vestsSymbol, keyPrefix, word } = parameters.profile;
  const all: Services = {
    ...emptyChain(),
    rows: new View(store, 1000),
    parameters,
    words: { coinSymbol, vestsSymbol, keyPrefix, word },
    clock: clockOf(chain),
    privateKeysAllowed: true,
    broadcast: () => Promise.reject(new AssertionFailure('nobody broadcasts here')),
    report: (error) => assert.fail(String(error)),
    ...services,
  };
  return new Dispatcher({ methods: methodsOf(parameters.profile), services: all, limits: defaultLimits, bareNamesOf: GROUP_OF_BARE_NAMES });
}

/** Three seconds after the head block. */
function clockOf(chain: Chain): Clock {
  return {
    nowMs: () => (chain.head.time + 3) * 1000,
    after(delayMs, run) {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
  };
}

/** The sample transaction of the documents in the first block, and one of everything that the examples look for. */
function fill(chain: Chain, parameters: ChainParameters): void {
  const expiration = present(parseTime(sampleTransaction.expiration), 'a time');
  const submit = (signer: string, ...operations: Json[]): void =>
    void chain.accept(transactionOn(chain, parameters, operations, [signer], { expiration }));
  submit('alice', sampleOperation);
  produce(chain);
  submit('alice', ['custom_json', { fee: '0.010000 COIN', sender: 'alice', recipients: ['bob', 'carol'], app_id: 1, json: '{"n":1}' }]);
  submit('alice', ['custom_json', { fee: '0.010000 COIN', sender: 'alice', recipients: ['bob'], app_id: 1, json: '{"n":2}' }]);
  submit('bob', ['custom_binary', { fee: '0.010000 COIN', sender: 'bob', recipients: ['alice'], app_id: 1, data: '68656c6c6f' }]);
  submit('alice', [
    'application_create',
    { fee: '0.010000 COIN', author: 'alice', name: 'chat', url: 'https://chat.example', metadata: '', price_param: 0 },
  ]);
  submit('alice', ['transfer_to_vesting', { fee: '0.000000 COIN', from: 'alice', to: '', amount: '300000.000000 COIN' }]);
  produce(chain);
  submit('bob', ['buy_application', { fee: '0.010000 COIN', buyer: 'bob', app_id: 0 }]);
  submit('alice', [
    'witness_update',
    {
      fee: '0.000000 COIN',
      owner: 'alice',
      url: 'https://alice.example',
      block_signing_key: keyTextOf('alice'),
      props: { account_creation_fee: '0.050000 COIN', maximum_block_size: 262_144, price_feeds: [] },
    },
  ]);
  submit('alice', ['account_witness_vote', { fee: '0.000000 COIN', account: 'alice', witness: 'initminer', approve: true }]);
  submit('alice', ['sponsor_fees', { fee: '0.000000 COIN', sponsor: 'alice', sponsored: 'carol', is_sponsoring: true }]);
  produce(chain);
  submit('carol', ['transfer', { fee: '0.010000 COIN', from: 'carol', to: 'dave', amount: '2.000000 COIN', memo: 'sponsored' }]);
  submit('alice', [
    'change_recovery_account',
    { fee: '0.000000 COIN', account_to_recover: 'alice', new_recovery_account: 'bob', extensions: [] },
  ]);
  submit('alice', [
    'escrow_transfer',
    {
      fee: '0.010000 COIN',
      from: 'alice',
      to: 'bob',
      coin_amount: '5.000000 COIN',
      escrow_id: 1,
      agent: 'carol',
      escrow_fee: '0.100000 COIN',
      json_meta: '',
      ratification_deadline: '2026-01-02T00:00:00',
      escrow_expiration: '2026-02-01T00:00:00',
    },
  ]);
  produce(chain);
}
