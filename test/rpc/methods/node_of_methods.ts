import { ownProcess } from '../../../src/jsonrpc/asker.ts';
import assert from 'node:assert/strict';
import { hostOf } from '../../../src/rpc/host.ts';
import { AssertionFailure, present } from '../../../src/base/assert.ts';
import { systemClock, type Clock } from '../../../src/base/clock.ts';
import type { Chain } from '../../../src/chain/chain.ts';
import type { Json } from '../../../src/codec/json.ts';
import { writeJson } from '../../../src/codec/json_writer.ts';
import type { Notation } from '../../../src/codec/notation.ts';
import { productionOperations } from '../../../src/node/production_operations.ts';
import type { ChainFollower } from '../../../src/node/feed/chain_feed.ts';
import { FaultsOnDemand } from '../../../src/node/dev/faults_on_demand.ts';
import { servicesOf } from '../../../src/node/services.ts';
import { BatchVerifier } from '../../../src/node/threads/batch_verifier.ts';
import { Broadcasts, type BroadcastLimits } from '../../../src/node/threads/broadcasts.ts';
import { DebugCommands } from '../../../src/node/threads/debug_commands.ts';
import type { ProductionSettings } from '../../../src/node/threads/messages.ts';
import { MovableClock } from '../../../src/node/threads/movable_clock.ts';
import type { VerifierReport } from '../../../src/node/threads/verifier_report.ts';
import { Dispatcher } from '../../../src/jsonrpc/dispatcher.ts';
import { defaultLimits, type Limits } from '../../../src/jsonrpc/limits.ts';
import type { Methods } from '../../../src/rpc/method.ts';
import { GROUP_OF_BARE_NAMES, methodsOf } from '../../../src/rpc/methods.ts';
import { openRpc } from '../../../src/rpc/openrpc.ts';
import { isObject } from '../../../src/jsonrpc/openrpc.ts';
import { sampleOperation, sampleTransaction } from '../../../src/rpc/sample_transaction.ts';
import type { Subscriber } from '../../../src/jsonrpc/subscriber.ts';
import type { Call, Services } from '../../../src/rpc/services.ts';
import type { Subscriptions } from '../../../src/rpc/notices/subscriptions.ts';
import type { ChainParameters } from '../../../src/state/parameters.ts';
import type { KeyValueReader } from '../../../src/storage/key_value.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { View } from '../../../src/storage/view.ts';
import type { Profile } from '../../../src/values/profile.ts';
import { parseTime } from '../../../src/values/time.ts';
import { emptyChain } from '../empty_chain.ts';
import { keyOf, keyTextOf, produce, secretOf, testParameters, transactionOn } from '../../builders/chain.ts';
import { DeclaredAnswers } from '../../builders/declared_answers.ts';
import { directNetwork } from '../../builders/direct_network.ts';
import { directPorts } from '../../../src/node/threads/direct_ports.ts';
import { directSnapshots } from '../../builders/direct_snapshots.ts';
import { directWriter } from '../../builders/direct_writer.ts';
import { directVerifiers } from '../../../src/node/threads/direct_verifiers.ts';
import { HandClock } from '../../builders/hand_clock.ts';

/** An answer as a client reads it. */
export interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> };
}

/** What the methods declare, in both dialects; the same for all nodes with the same words, and a while to compile. */
type Declared = Readonly<Record<'default' | 'legacy', DeclaredAnswers>>;
/** By the words of the chain: many nodes of a test have equal ones. */
const declarations = new Map<string, Declared>();

function declaredBy(methods: Methods, profile: Profile): Declared {
  const words: Notation = { ...profile, dialect: 'default', operationForm: 'pair' };
  const key = writeJson({ ...profile });
  const declared = declarations.get(key) ?? {
    default: new DeclaredAnswers(asPlain(openRpc(methods, words, 'test', '1'))),
    legacy: new DeclaredAnswers(asPlain(unwrapped(methods, { ...words, dialect: 'legacy' }))),
  };
  declarations.set(key, declared);
  return declared;
}

/** A connection that hears nothing. */
const listener = (): Subscriber => ({
  push: () => true,
  isOpen: () => true,
  unsentBytes: () => 0,
  drop: () => undefined,
  onClose: () => undefined,
});

/** More than a round of test chains has witnesses. */
const SLOTS_LOOKED_AT = 10;
const GENESIS = '2026-01-01T00:00:00';

/** Where a node differs from the ordinary. */
export interface NodeOptions {
  readonly parameters?: ChainParameters;
  /** Nothing stands on the chain but its genesis. */
  readonly isEmpty?: boolean;
  /** A broadcast that waits for a block waits in vain. */
  readonly producesNoBlocks?: boolean;
  /** The node has no key to produce with, or cannot seal what it produces, when it is told to. */
  readonly debug?: 'has no key' | 'seals nothing';
  readonly blocksKept?: number;
  /** Nobody acts for others, though the genesis names who may. */
  readonly lacksImpersonator?: boolean;
  readonly limits?: Partial<BroadcastLimits> & Partial<Pick<Limits, 'subscriptions' | 'subscriptionsPerSocket'>>;
  /** Where its chain lies, or is begun; a new one by default. */
  readonly store?: MemoryStore;
  /** How many blocks a development chain takes back. */
  readonly undoBlocks?: number;
  /** Hears of each change of the chain. */
  readonly follower?: ChainFollower;
}

/**
 * A node in one thread: a chain with everything on it that the examples of the methods speak of, and a dispatcher over it.
 * Each answer is compared with what its method declares.
 */
export class NodeOfMethods {
  readonly parameters: ChainParameters;
  readonly methods: Methods;
  readonly chain: Chain;
  readonly store: MemoryStore;
  readonly reports: unknown[] = [];
  readonly dispatcher: Dispatcher<Call>;
  readonly #broadcasts: Broadcasts;
  readonly #subscriptions: Pick<Subscriptions, 'stop'>;
  readonly #producesNoBlocks: boolean;
  readonly #declared: Declared;
  /** A connection that hears nothing. */
  readonly listener = listener();

  constructor(options: NodeOptions = {}) {
    const {
      parameters = testParameters({ genesis_time: GENESIS, impersonator: keyTextOf('impersonator') }),
      isEmpty = false,
      producesNoBlocks = false,
      debug,
      blocksKept,
      lacksImpersonator = false,
      limits = {},
      store = new MemoryStore(),
      undoBlocks,
      follower,
    } = options;
    this.store = store;
    const broadcasts = new Broadcasts({ queuedBroadcasts: 1000, parkedBroadcasts: 1000, ...limits }, systemClock);
    const { writer, client } = directWriter({
      parameters,
      store,
      clock: new HandClock(parameters.genesis.genesis_time * 1000),
      production: productionOf(debug),
      ...{ blocksKept, undoBlocks },
      listener: { verdicts: (bytes) => broadcasts.takeVerdicts(bytes), failed: (fault) => void this.reports.push(fault) },
    });
    const { chain } = writer;
    if (follower !== undefined) client.follow(follower);
    this.parameters = parameters;
    this.methods = methodsOf(parameters.profile, { debug: true, network: true, production: true, snapshots: true });
    this.chain = chain;
    this.#declared = declaredBy(this.methods, parameters.profile);
    this.#producesNoBlocks = producesNoBlocks;
    if (!isEmpty) fill(chain, parameters);
    this.#broadcasts = broadcasts;
    const [verifierEnd, line] = directPorts<never, Uint8Array<ArrayBuffer>>();
    client.connect(line);
    const [clock, view] = [clockOf(chain), new View(store, 1000)];
    const verifier = new BatchVerifier({ parameters, view, clock, handOver: (bytes) => verifierEnd.post(bytes) });
    broadcasts.start({ threads: 1, verify: (batch) => Promise.resolve(this.#verify(verifier, batch)) });
    const methods = methodsOf(parameters.profile, { debug: true, network: true, production: true, snapshots: true });
    const { services, subscriptions } = servicesOf({
      parameters,
      rows: view,
      clock,
      broadcasts,
      writer: client,
      verifiers: directVerifiers(parameters, view),
      limits: { ...defaultLimits, ...limits },
      ownsTime: true,
      faults: new FaultsOnDemand(systemClock, [...methods.keys()]),
      impersonatorSecret: lacksImpersonator ? undefined : secretOf('impersonator'),
      operations: directNetwork(),
      production: productionOperations(client),
      snapshots: directSnapshots(store, parameters),
      report: (error) => void this.reports.push(error),
    });
    this.#subscriptions = subscriptions;
    const moved = debug === 'seals nothing' ? { ...services, debug: sealsNothing(chain) } : services;
    this.dispatcher = new Dispatcher({ methods, host: hostOf(moved, 'always'), limits: defaultLimits, bareNamesOf: GROUP_OF_BARE_NAMES });
  }

  /** Sends a body over a connection that can be told of documents, and reads the answer. */
  async send(body: Json, subscriber = this.listener): Promise<Answer> {
    const text = await this.dispatcher.dispatch(Buffer.from(writeJson(body)), { ...ownProcess, subscriber });
    const answer: Answer = JSON.parse(present(text, 'an answer').toString());
    this.check(isObject(body) && typeof body['method'] === 'string' ? body['method'] : '', answer);
    return answer;
  }

  /** Fails when an answer is not as the method declares that was called by this name. */
  check(name: string, answer: Answer): void {
    if (name.includes('.')) this.#declared.default.check(name, answer);
    else this.#declared.legacy.check(this.methods.has(name) ? name : `${GROUP_OF_BARE_NAMES}.${name}`, answer);
  }

  call(method: string, params: Json = {}): Promise<Answer> {
    return this.send({ jsonrpc: '2.0', id: 1, method, params });
  }

  /** The same over a connection of its own. */
  callFromAnother(method: string, params: Json): Promise<Answer> {
    return this.send({ jsonrpc: '2.0', id: 1, method, params }, listener());
  }

  /** The same over plain HTTP, which nobody can be told anything over. */
  async callOnce(method: string, params: Json): Promise<Answer> {
    const text = await this.dispatcher.dispatch(Buffer.from(writeJson({ jsonrpc: '2.0', id: 1, method, params })));
    const answer: Answer = JSON.parse(present(text, 'an answer').toString());
    this.#declared.default.check(method, answer);
    return answer;
  }

  /** The result, or a failed test that shows the error. */
  async result(method: string, params: Json = {}): Promise<unknown> {
    const { result, error } = await this.call(method, params);
    if (error !== undefined) throw new Error(`${method} ${writeJson(params)}: ${error.code} ${error.message}`);
    return result;
  }

  /** The front has missed what the writer told: it looks for those whom it may not tell any more. */
  missChanges(): void {
    const { number, id, time, lastIrreversible: irreversible } = this.chain.head;
    const lost = async (ids: readonly string[]): Promise<readonly string[]> =>
      await Promise.resolve(ids.filter((each) => !this.chain.isKnown(each)));
    const gap = { kind: 'gap', keptNumber: number, head: { number, id, time, irreversible } } as const;
    this.#broadcasts.takeGap(gap, { locate: () => undefined, lost });
  }

  /** Refuses what waits, and tells nobody anything more. */
  stop(): void {
    this.#broadcasts.stop();
    this.#subscriptions.stop();
  }

  /** The next slot whose witness signs with the key of its own name; undefined when operations have left none. */
  get ownSlot(): number | undefined {
    for (let slot = 1; slot <= SLOTS_LOOKED_AT; slot++) {
      const scheduled = this.chain.productionSlotAt(this.chain.slotTime(slot));
      if (scheduled !== undefined && scheduled.signingKey === keyOf(scheduled.witness)) return slot;
    }
    return undefined;
  }

  /** A block comes soon where one is waited for. */
  #verify(verifier: BatchVerifier, batch: Uint8Array): VerifierReport {
    const report = verifier.verify(batch);
    if (report.waiting.length > 0 && !this.#producesNoBlocks) setImmediate(() => this.#produce());
    return { ...report, elapsedMicros: 0 };
  }

  #produce(): void {
    const slot = this.ownSlot;
    if (slot === undefined) this.stop();
    else produce(this.chain, slot);
  }
}

/** What a development chain is moved with. */
function productionOf(flaw: NodeOptions['debug']): ProductionSettings {
  const secrets = flaw === 'has no key' ? [] : [secretOf('initminer')];
  return { witnesses: ['initminer'], secrets, allowStale: true, requiredParticipation: 0, ownTime: true, everyMs: undefined };
}

/** Orders that are carried out without any block. */
function sealsNothing(chain: Chain): NonNullable<Services['debug']> {
  const orders = new DebugCommands({
    goesOnFromHead: false,
    chain,
    chainId: '00'.repeat(32),
    clock: new MovableClock(clockOf(chain), true),
    producer: { witnesses: new Set(['initminer']), keys: new Set([keyOf('initminer')]), requiredParticipation: 0 },
    mining: 'none',
    produce: () => undefined,
    mineInSlots: () => undefined,
  });
  return async (order) => await Promise.resolve(orders.carryOut(order));
}

function asPlain(json: Json): unknown {
  return JSON.parse(writeJson(json));
}

/** The document of the same methods as the legacy dialect has them: of a result with one member, that member or null. */
function unwrapped(methods: Methods, words: Notation): Json {
  const document = openRpc(methods, words, 'test', '1');
  assert.ok(isObject(document) && Array.isArray(document['methods']));
  const shown = document['methods']
    .filter(isObject)
    .map((method): Json => Object.assign(method, { result: { schema: shownSchema(method) } }));
  return { ...document, methods: shown };
}

function shownSchema({ result }: { readonly [member: string]: Json }): Json {
  const schema = isObject(result) && isObject(result['schema']) ? result['schema'] : {};
  const members = isObject(schema['properties']) ? Object.values(schema['properties']) : [];
  return members.length === 1 ? { anyOf: [{ type: 'null' }, ...members] } : schema;
}

/** All methods over a chain that lies in a store. */
export function dispatcherOver(
  chain: Chain,
  store: KeyValueReader,
  parameters: ChainParameters,
  services: Partial<Services> = {},
): Dispatcher<Call> {
  const rows = new View(store, 1000);
  const all: Services = {
    ...emptyChain(),
    rows,
    parameters,
    words: parameters.profile,
    clock: clockOf(chain),
    recover: (digest, signatures) => directVerifiers(parameters, rows).recover(digest, signatures),
    broadcast: () => Promise.reject(new AssertionFailure('nobody broadcasts here')),
    report: (error) => assert.fail(String(error)),
    ...services,
  };
  const methods = methodsOf(parameters.profile, { debug: all.debug !== undefined, network: all.network !== undefined });
  return new Dispatcher({ methods, host: hostOf(all, 'always'), limits: defaultLimits, bareNamesOf: GROUP_OF_BARE_NAMES });
}

/** Three seconds after the head block. */
function clockOf(chain: Chain): Clock {
  return {
    nowMs: () => (chain.head.time + 3) * 1000,
    elapsedMs: () => performance.now(),
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
