import { ownProcess } from '../../../src/jsonrpc/limits/request_source.ts';
import assert from 'node:assert/strict';
import { makeHost } from '../../../src/rpc/host.ts';
import { present } from '../../../src/base/assert.ts';
import { systemClock, type Clock } from '../../../src/base/clock.ts';
import type { Chain } from '../../../src/chain/chain.ts';
import { isJsonObject, type Json } from '../../../src/codec/json.ts';
import { writeJson } from '../../../src/codec/json_writer.ts';
import type { EncodingOptions } from '../../../src/codec/encoding_options.ts';
import type { ChainFollower } from '../../../src/feed/chain_feed.ts';
import { FaultsOnDemand } from '../../../src/node/http/faults_on_demand.ts';
import { makeServices } from '../../../src/node/http/services.ts';
import { BatchVerifier } from '../../../src/verifiers/batch_verifier.ts';
import { Broadcasts, type BroadcastLimits } from '../../../src/node/threads/broadcasts/broadcasts.ts';
import { DebugCommands } from '../../../src/production/debug_commands.ts';
import { MovableClock } from '../../../src/production/movable_clock.ts';
import type { VerifierReport } from '../../../src/verifiers/verifier_report.ts';
import { Dispatcher } from '../../../src/jsonrpc/dispatcher.ts';
import { defaultLimits } from '../../../src/jsonrpc/limits/limits.ts';
import type { SubscriptionLimits } from '../../../src/notices/subscription_counts.ts';
import type { Methods } from '../../../src/rpc/method.ts';
import { GROUP_OF_BARE_NAMES, listMethods } from '../../../src/rpc/methods.ts';
import { openRpc } from '../../../src/rpc/openrpc.ts';
import { CURSOR } from '../../../src/jsonrpc/envelope/cursor.ts';
import { sampleOperation, sampleTransaction } from '../../../src/rpc/sample_transaction.ts';
import type { Subscriber } from '../../../src/jsonrpc/limits/subscriber.ts';
import type {
  VerifierCall,
  DevelopmentServices,
  IntakeServices,
  Services,
  VerifierServices,
} from '../../../src/rpc/services.ts';
import type { Subscriptions } from '../../../src/notices/subscriptions.ts';
import type { ChainParameters } from '../../../src/state/parameters.ts';
import type { KeyValueReader } from '../../../src/storage/key_value.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { View } from '../../../src/storage/view.ts';
import type { Profile } from '../../../src/values/profile.ts';
import { parseTime } from '../../../src/values/time.ts';
import { emptyChain } from '../empty_chain.ts';
import { testKey, testKeyText, produce, testSecret, testParameters, makeTransaction } from '../../builders/chain.ts';
import { DeclaredAnswers } from '../../builders/declared_answers.ts';
import { DeclaredCalls } from '../../builders/declared_calls.ts';
import { directNetwork } from '../../builders/direct_network.ts';
import { directPorts } from '../../../src/system/direct_ports.ts';
import { directSnapshots } from '../../builders/direct_snapshots.ts';
import { directWriter } from '../../builders/direct_writer.ts';
import { directVerifiers } from '../../../src/verifiers/direct_verifiers.ts';
import { HandClock } from '../../builders/hand_clock.ts';
import type { ProductionSettings } from '../../../src/settings/production_settings.ts';
import { productionOperations } from '../../../src/node/front.ts';

/** An answer as a client reads it. */
export interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> };
}

/** The methods' declarations in both dialects; the same for all nodes with the same symbols, and slow to compile. */
interface Declared {
  readonly default: DeclaredAnswers;
  readonly legacy: DeclaredAnswers;
  readonly calls: DeclaredCalls;
}

/** By the symbols of the chain: many nodes of a test have equal ones. */
const declarations = new Map<string, Declared>();

function declareAll(methods: Methods, profile: Profile): Declared {
  const words: EncodingOptions = { ...profile, dialect: 'default', operationForm: 'pair' };
  const key = writeJson({ ...profile });
  const known = declarations.get(key);
  if (known !== undefined) return known;
  const document = asPlain(openRpc(methods, words, 'test', '1'));
  const declared: Declared = {
    default: new DeclaredAnswers(document),
    calls: new DeclaredCalls(document),
    legacy: new DeclaredAnswers(asPlain(unwrapped(methods, { ...words, dialect: 'legacy' }))),
  };
  declarations.set(key, declared);
  return declared;
}

/** A connection that hears nothing. */
const listener = (): Subscriber => ({
  address: '192.0.2.1',
  push: () => true,
  isOpen: () => true,
  unsentBytes: () => 0,
  drop: () => undefined,
  onClose: () => undefined,
});

/** More than a round of test chains has witnesses. */
const SLOTS_LOOKED_AT = 10;
const GENESIS = '2026-01-01T00:00:00';

/** Differences of a node from the ordinary. */
export interface NodeOptions {
  readonly parameters?: ChainParameters;
  /** Nothing stands on the chain but its genesis. */
  readonly isEmpty?: boolean;
  /** A broadcast that waits for a block waits in vain. */
  readonly producesNoBlocks?: boolean;
  /** Broadcasts stay in the queue for verifiers. */
  readonly hasNoVerifiers?: boolean;
  /** The node has no key to produce with, or cannot seal what it produces, when it is told to. */
  readonly debug?: 'has no key' | 'seals nothing';
  readonly blocksKept?: number;
  /** The front hears nothing of transactions that the chain drops. */
  readonly missesDrops?: boolean;
  /** Nobody acts for others, though the genesis names who may. */
  readonly lacksImpersonator?: boolean;
  /** The chain was made of a key alone, and has no snapshots. */
  readonly lacksGenesis?: boolean;
  readonly limits?: Partial<BroadcastLimits> & Partial<SubscriptionLimits>;
  /** The store of its chain, or of a new one; a fresh one by default. */
  readonly store?: MemoryStore;
  /** The number of blocks that a development chain can take back. */
  readonly undoBlocks?: number;
  /** Hears of each change of the chain. */
  readonly follower?: ChainFollower;
}

/**
 * A node in one thread: a chain with everything on it that the examples of the methods speak of, and a dispatcher over
 * it. Each answer is compared with what its method declares.
 */
export class NodeOfMethods {
  readonly parameters: ChainParameters;
  readonly methods: Methods;
  readonly chain: Chain;
  readonly store: MemoryStore;
  readonly reports: unknown[] = [];
  readonly dispatcher: Dispatcher<VerifierCall>;
  readonly #broadcasts: Broadcasts;
  readonly #subscriptions: Pick<Subscriptions, 'stop'>;
  readonly #producesNoBlocks: boolean;
  readonly #declared: Declared;
  /** A connection that hears nothing. */
  readonly listener = listener();

  constructor(options: NodeOptions = {}) {
    const {
      parameters = testParameters({ genesis_time: GENESIS, impersonator: testKeyText('impersonator') }),
      isEmpty = false,
      producesNoBlocks = false,
      missesDrops = false,
      hasNoVerifiers = false,
      debug,
      blocksKept,
      lacksImpersonator = false,
      lacksGenesis = false,
      limits = {},
      store = new MemoryStore(),
      undoBlocks,
      follower,
    } = options;
    this.store = store;
    const broadcasts = new Broadcasts(
      { queuedBroadcasts: 1000, parkedBroadcasts: 1000, waitingForFinality: 1000, finalityMs: 600_000, ...limits },
      systemClock,
    );
    const { writer, client } = directWriter({
      parameters,
      store,
      clock: new HandClock(parameters.genesis.genesis_time * 1000),
      production: makeProduction(debug),
      ...{ blocksKept, undoBlocks },
      listener: {
        verdicts: (bytes) => broadcasts.takeVerdicts(bytes),
        dropped: (bytes) => void (missesDrops || broadcasts.takeDropped(bytes)),
        failed: (fault) => void this.reports.push(fault),
      },
    });
    const { chain } = writer;
    if (follower !== undefined) client.follow(follower);
    this.parameters = parameters;
    this.methods = listMethods(parameters.profile, { debug: true, network: true, production: true, snapshots: true });
    this.chain = chain;
    this.#declared = declareAll(this.methods, parameters.profile);
    this.#producesNoBlocks = producesNoBlocks;
    if (!isEmpty) fill(chain, parameters);
    this.#broadcasts = broadcasts;
    const [verifierEnd, line] = directPorts<never, Uint8Array<ArrayBuffer>>();
    client.connect(line);
    const [clock, view] = [makeClock(chain), new View(store, 1000)];
    const verifier = new BatchVerifier({ parameters, view, clock, handOver: (bytes) => verifierEnd.post(bytes) });
    broadcasts.start({
      threads: hasNoVerifiers ? 0 : 1,
      verify: (batch) => Promise.resolve(this.#verify(verifier, batch)),
    });
    const methods = listMethods(parameters.profile, { debug: true, network: true, production: true, snapshots: true });
    const { services, subscriptions } = makeServices({
      chain: { parameters, rows: view, store, clock, ownsTime: true },
      threads: { broadcasts, writer: client, verifiers: directVerifiers(parameters, view) },
      limits: { ...defaultLimits, ...limits },
      operator: {
        network: directNetwork(),
        production: productionOperations(client),
        snapshots: directSnapshots(store, parameters, { lacksGenesis }),
      },
      development: {
        movesTime: true,
        faults: new FaultsOnDemand(systemClock, [...methods.keys()]),
        impersonatorSecret: lacksImpersonator ? undefined : testSecret('impersonator'),
      },
      report: (error) => void this.reports.push(error),
    });
    this.#subscriptions = subscriptions;
    const { development } = services;
    const moved =
      debug === 'seals nothing'
        ? { ...services, development: { ...development, debug: sealsNothing(chain) } }
        : services;
    this.dispatcher = new Dispatcher({
      methods,
      host: makeHost(moved, 'always'),
      limits: defaultLimits,
      bareNamesOf: GROUP_OF_BARE_NAMES,
    });
  }

  /** Sends a body over a connection that can be told of documents, and reads the answer. */
  async send(body: Json, subscriber = this.listener): Promise<Answer> {
    const text = await this.dispatcher.dispatch(Buffer.from(writeJson(body)), { ...ownProcess, subscriber });
    const answer: Answer = JSON.parse(present(text, 'an answer').toString());
    const { method, params }: { method?: unknown; params?: unknown } = Object(JSON.parse(writeJson(body)));
    this.check(typeof method === 'string' ? method : '', params, answer);
    return answer;
  }

  /** The calls that were compared with the declarations. */
  get declaredCalls(): DeclaredCalls {
    return this.#declared.calls;
  }

  /** Fails when a call or its answer is not as the method declares that was called by this name. */
  check(name: string, params: unknown, answer: Answer): void {
    if (name.includes('.')) {
      this.#declared.calls.check(name, params, answer);
      this.#declared.default.check(name, answer);
    } else this.#declared.legacy.check(this.methods.has(name) ? name : `${GROUP_OF_BARE_NAMES}.${name}`, answer);
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
    this.check(method, JSON.parse(writeJson(params)), answer);
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
    this.#broadcasts.takeGap(gap, { locate: () => undefined, lost, finalTime: () => undefined });
  }

  /** Refuses what waits, and tells nobody anything more. */
  stop(): void {
    this.#broadcasts.stop();
    this.#subscriptions.stop();
  }

  /** The next slot whose witness signs with the key of its own name; undefined when operations have left none. */
  get ownSlot(): number | undefined {
    for (let slot = 1; slot <= SLOTS_LOOKED_AT; slot++) {
      const scheduled = this.chain.findProductionSlot(this.chain.slotTime(slot));
      if (scheduled !== undefined && scheduled.signingKey === testKey(scheduled.witness)) return slot;
    }
    return undefined;
  }

  /** A block comes soon where one is waited for. */
  #verify(verifier: BatchVerifier, batch: Uint8Array): VerifierReport {
    const report = verifier.verify(batch);
    if (report.told.some(({ waitFor }) => waitFor !== 'accepted') && !this.#producesNoBlocks)
      setImmediate(() => this.#produce());
    return { ...report, elapsedMicros: 0 };
  }

  #produce(): void {
    const slot = this.ownSlot;
    if (slot === undefined) this.stop();
    else produce(this.chain, slot);
  }
}

/** Makes the production that moves a development chain. */
function makeProduction(flaw: NodeOptions['debug']): ProductionSettings {
  const secrets = flaw === 'has no key' ? [] : [testSecret('initminer')];
  return {
    witnesses: ['initminer'],
    secrets,
    allowStale: true,
    requiredParticipation: 0,
    ownTime: true,
    everyMs: undefined,
  };
}

/** Orders that are carried out without any block. */
function sealsNothing(chain: Chain): NonNullable<DevelopmentServices['debug']> {
  const orders = new DebugCommands({
    goesOnFromHead: false,
    chain,
    chainId: '00'.repeat(32),
    clock: new MovableClock(makeClock(chain), true),
    producer: { witnesses: new Set(['initminer']), keys: new Set([testKey('initminer')]), requiredParticipation: 0 },
    mining: 'none',
    produce: () => undefined,
    mineInSlots: () => undefined,
  });
  return async (order) => await Promise.resolve(orders.carryOut(order));
}

function asPlain(json: Json): ConstructorParameters<typeof DeclaredCalls>[0] {
  const plain: ConstructorParameters<typeof DeclaredCalls>[0] = JSON.parse(writeJson(json));
  return plain;
}

/**
 * The document of the same methods as the legacy dialect has them: of a result with one member besides the cursor, that
 * member or null.
 */
function unwrapped(methods: Methods, words: EncodingOptions): Json {
  const document = openRpc(methods, words, 'test', '1');
  assert.ok(isJsonObject(document) && Array.isArray(document['methods']));
  const shown = document['methods']
    .filter(isJsonObject)
    .map((method): Json => Object.assign(method, { result: { schema: shownSchema(method) } }));
  return { ...document, methods: shown };
}

function shownSchema({ result }: { readonly [member: string]: Json }): Json {
  const schema = isJsonObject(result) && isJsonObject(result['schema']) ? result['schema'] : {};
  const { [CURSOR]: _, ...others } = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const members = Object.values(others);
  return members.length === 1 ? { anyOf: [{ type: 'null' }, ...members] } : schema;
}

/** Services that a test gives in place of those that refuse or answer nothing. */
type GivenServices = Partial<Omit<Services, 'verifiers' | 'intake'>> & {
  readonly verifiers?: Partial<VerifierServices>;
  readonly intake?: Partial<IntakeServices>;
};

/** All methods over a chain that lies in a store. */
export function dispatcherOver(
  chain: Chain,
  store: KeyValueReader,
  parameters: ChainParameters,
  { verifiers, intake, ...services }: GivenServices = {},
): Dispatcher<VerifierCall> {
  const rows = new View(store, 1000);
  const empty = emptyChain();
  const all: Services = {
    ...empty,
    rows,
    parameters,
    symbols: parameters.profile,
    clock: makeClock(chain),
    report: (error) => assert.fail(String(error)),
    ...services,
    verifiers: {
      ...empty.verifiers,
      recover: (digest, signatures) => directVerifiers(parameters, rows).recover(digest, signatures),
      ...verifiers,
    },
    intake: { ...empty.intake, ...intake },
  };
  const methods = listMethods(parameters.profile, {
    debug: all.development.debug !== undefined,
    network: all.operator.network !== undefined,
  });
  return new Dispatcher({
    methods,
    host: makeHost(all, 'always'),
    limits: defaultLimits,
    bareNamesOf: GROUP_OF_BARE_NAMES,
  });
}

/** Three seconds after the head block. */
function makeClock(chain: Chain): Clock {
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
    void chain.accept(makeTransaction(chain, parameters, operations, [signer], { expiration }));
  submit('alice', sampleOperation);
  produce(chain);
  submit('alice', [
    'custom_json',
    { fee: '0.010000 COIN', sender: 'alice', recipients: ['bob', 'carol'], app_id: 1, json: '{"n":1}' },
  ]);
  submit('alice', [
    'custom_json',
    { fee: '0.010000 COIN', sender: 'alice', recipients: ['bob'], app_id: 1, json: '{"n":2}' },
  ]);
  submit('bob', [
    'custom_binary',
    { fee: '0.010000 COIN', sender: 'bob', recipients: ['alice'], app_id: 1, data: '68656c6c6f' },
  ]);
  submit('alice', [
    'application_create',
    { fee: '0.010000 COIN', author: 'alice', name: 'chat', url: 'https://chat.example', metadata: '', price_param: 0 },
  ]);
  submit('alice', [
    'transfer_to_vesting',
    { fee: '0.000000 COIN', from: 'alice', to: '', amount: '300000.000000 COIN' },
  ]);
  produce(chain);
  submit('bob', ['buy_application', { fee: '0.010000 COIN', buyer: 'bob', app_id: 0 }]);
  submit('alice', [
    'witness_update',
    {
      fee: '0.000000 COIN',
      owner: 'alice',
      url: 'https://alice.example',
      block_signing_key: testKeyText('alice'),
      props: { account_creation_fee: '0.050000 COIN', maximum_block_size: 262_144, price_feeds: [] },
    },
  ]);
  submit('alice', [
    'account_witness_vote',
    { fee: '0.000000 COIN', account: 'alice', witness: 'initminer', approve: true },
  ]);
  submit('alice', [
    'sponsor_fees',
    { fee: '0.000000 COIN', sponsor: 'alice', sponsored: 'carol', is_sponsoring: true },
  ]);
  produce(chain);
  submit('carol', [
    'transfer',
    { fee: '0.010000 COIN', from: 'carol', to: 'dave', amount: '2.000000 COIN', memo: 'sponsored' },
  ]);
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
