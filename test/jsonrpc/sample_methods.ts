import type { Clock } from '../../src/base/clock.ts';
import type { Heads } from '../../src/jsonrpc/envelope/heads.ts';
import type { PrivateKeyMethods } from '../../src/jsonrpc/envelope/private_keys.ts';
import { Type } from '../../src/jsonrpc/envelope/typebox.ts';
import { makeHost } from '../../src/rpc/host.ts';
import type { SignedTransaction } from '../../src/blocks/transaction.ts';
import { Refusal, refusals } from '../../src/base/refusal.ts';
import { AssertionFailure } from '../../src/base/assert.ts';
import { i64, u32 } from '../../src/codec/primitives.ts';
import { Dispatcher } from '../../src/jsonrpc/dispatcher.ts';
import { defaultLimits, type Limits } from '../../src/jsonrpc/limits/limits.ts';
import { WrittenJson, method, registerMethods } from '../../src/rpc/method.ts';
import { MethodTimes } from '../../src/jsonrpc/limits/method_times.ts';
import { coded } from '../../src/jsonrpc/envelope/params.ts';
import type { VerifierCall, RawBroadcast, Services } from '../../src/rpc/services.ts';
import { systemClock } from '../../src/base/clock.ts';
import { inChunks } from '../../src/rpc/chunks.ts';
import { emptyChain } from '../rpc/empty_chain.ts';

const noTransaction: SignedTransaction = {
  ref_block_num: 0,
  ref_block_prefix: 0,
  expiration: 0,
  operations: [],
  extensions: [],
  signatures: [],
};

const refuse = refusals({
  unknown_account: { text: 'no account is named {account}', lineage: 'Unknown account' },
  no_authority: {
    text: '{account} has not signed',
    lineage: 'Missing Active Authority {account}',
    lineageCode: 3010000,
  },
});

/** Methods that show every way of a method, for tests. */
export const sampleMethods = registerMethods([
  method({
    name: 'alexandria_api.get_account',
    doc: 'The account of a name.',
    params: { account_name: Type.String({ maxLength: 64 }) },
    result: Type.Object({ account: Type.Array(Type.Object({ name: Type.String() })) }),
    example: { params: { account_name: 'alice' }, result: { account: [{ name: 'alice' }] } },
    stability: 'stable',
    refuses: refuse.texts,
    thread: 'read',
    handler({ account_name }) {
      if (account_name === 'nobody') refuse.unknown_account({ account: account_name });
      return { account: [{ name: account_name }] };
    },
  }),
  method({
    name: 'test_api.add',
    doc: 'The sum of two integers.',
    params: { left: coded(i64), right: coded(i64, { default: 1 }), times: Type.Optional(coded(u32)) },
    result: Type.Object({ sum: Type.String() }),
    example: { params: { left: 1, right: 2 } },
    stability: 'stable',
    thread: 'read',
    handler: ({ left, right, times = 1 }) => ({ sum: ((left + right) * BigInt(times)).toString() }),
  }),
  method({
    name: 'test_api.echo',
    doc: 'Lists and objects as they came.',
    params: { list: Type.Optional(Type.Array(coded(u32), { maxItems: 3 })), any: Type.Optional(Type.Unknown()) },
    result: Type.Object({ list: Type.Array(Type.Integer()), any: Type.Unknown() }),
    example: { params: {} },
    stability: 'stable',
    paramsBytes: Infinity,
    thread: 'read',
    handler: ({ list = [], any = null }) => ({ list, any }),
  }),
  method({
    name: 'test_api.long',
    doc: 'An answer of so many characters.',
    params: { length: coded(u32) },
    result: Type.String(),
    example: { params: { length: 1 } },
    stability: 'stable',
    thread: 'read',
    handler: ({ length }) => new WrittenJson(`"${'x'.repeat(length)}"`),
  }),
  method({
    name: 'test_api.work',
    doc: 'Holds its thread for longer than one turn of a batch.',
    params: { number: coded(u32) },
    result: coded(u32),
    example: { params: { number: 1 } },
    stability: 'stable',
    thread: 'read',
    handler({ number }) {
      worked += 11;
      return number;
    },
  }),
  method({
    name: 'test_api.list',
    doc: 'A list of so many numbers, each of which takes a millisecond.',
    params: { length: coded(u32), names: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })) },
    result: Type.Object({ list: Type.Array(coded(u32)) }),
    example: { params: { length: 1 } },
    stability: 'stable',
    weight: { call: 2, item: 3 },
    thread: 'read',
    handler({ length }, call) {
      const numbers = Array.from({ length }, (_, number) => number);
      return {
        list: inChunks(
          call,
          numbers,
          (some) => {
            worked += some.length;
            return some;
          },
          2,
        ),
      };
    },
  }),
  method({
    name: 'test_api.mistake',
    doc: 'A mistake of ours.',
    params: {},
    result: Type.Null(),
    example: { params: {} },
    stability: 'stable',
    thread: 'read',
    handler() {
      throw new AssertionFailure('a secret of the inside');
    },
  }),
  method({
    name: 'test_api.wait',
    doc: 'Answers a little later, or never.',
    params: { forever: Type.Boolean({ default: false }) },
    result: Type.Object({ waited: Type.Boolean() }),
    example: { params: {} },
    stability: 'stable',
    thread: 'writer',
    changes: false,
    async handler({ forever }) {
      // A call behind it is read meanwhile, also on a busy machine.
      await new Promise((resolve) => (forever ? undefined : setTimeout(resolve, 20)));
      return { waited: true };
    },
  }),
  method({
    name: 'test_api.verify',
    doc: 'Waits for a verifier that never answers.',
    params: {},
    result: Type.Object({}),
    example: { params: {} },
    stability: 'stable',
    thread: 'verifier',
    changes: false,
    handler: async () => await new Promise(() => undefined),
  }),
  method({
    name: 'test_api.wait_long',
    doc: 'Answers a little later, and changes something meanwhile.',
    params: {},
    result: Type.Object({ waited: Type.Boolean() }),
    example: { params: {} },
    stability: 'stable',
    thread: 'writer',
    changes: true,
    async handler() {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { waited: true };
    },
  }),
  method({
    name: 'test_api.sign',
    doc: 'Takes a private key.',
    params: { private_key: Type.String() },
    result: Type.Object({ signed: Type.Boolean() }),
    example: { params: { private_key: '5K…' } },
    stability: 'stable',
    needsPrivateKey: true,
    thread: 'read',
    handler: () => ({ signed: true }),
  }),
  method({
    name: 'network_broadcast_api.broadcast_transaction',
    doc: 'Broadcasts a transaction.',
    params: { trx: Type.Unknown(), max_block_age: coded(i64, { default: -1 }) },
    result: Type.Object({ id: Type.String() }),
    example: { params: { trx: {} } },
    stability: 'stable',
    thread: 'broadcast',
    request: ({ max_block_age }) => ({
      transaction: noTransaction,
      waitFor: 'accepted',
      maxBlockAge: Number(max_block_age),
    }),
    handler: ({ transactionId }) => ({ id: transactionId }),
  }),
]);

/** The calls that reached the chain, and the reports, in order. */
export interface Seen {
  readonly broadcasts: { readonly method: string; readonly params: string }[];
  readonly senderIds: number[];
  readonly reports: unknown[];
  reads: number;
}

/** The milliseconds of test_api.work so far, in time that only passes on the clock of these dispatchers. */
let worked = 0;

/** Returns the milliseconds that calls have reported so far. */
export function workedMs(): number {
  return worked;
}

const workClock: Clock = { ...systemClock, elapsedMs: () => systemClock.elapsedMs() + worked };

/** A dispatcher over the sample methods and a chain that answers from the text of the params. */
export function sampleDispatcher(
  limits: Partial<Limits> = {},
  others: Partial<Services> = {},
  privateKeyMethods: PrivateKeyMethods = 'never',
  heads?: Heads,
): { dispatcher: Dispatcher<VerifierCall>; seen: Seen; limits: Limits; times: MethodTimes } {
  const seen: Seen = { broadcasts: [], senderIds: [], reports: [], reads: 0 };
  const all = { ...defaultLimits, ...limits };
  const empty = emptyChain();
  const services: Services = {
    ...empty,
    clock: workClock,
    intake: { ...empty.intake, broadcast: (raw) => takeBroadcast(raw, seen) },
    report: (error) => void seen.reports.push(error),
    ...others,
  };
  const times = new MethodTimes();
  return {
    dispatcher: new Dispatcher({
      methods: sampleMethods,
      host: makeHost(services, privateKeyMethods, heads),
      limits: all,
      bareNamesOf: 'alexandria_api',
      times,
    }),
    seen,
    limits: all,
    times,
  };
}

function takeBroadcast(
  raw: RawBroadcast,
  seen: Seen,
): Promise<{
  transactionId: string;
  blockNumber: number;
  transactionNumber: number;
  expired: boolean;
  transaction: string;
}> {
  if ('packed' in raw) throw new Error('no sample method has read what it broadcasts');
  const { method: name, params, senderId } = raw;
  const text = Buffer.from(params).toString();
  if (text.includes('too big'))
    throw new Refusal('transaction_too_large', 'Transaction size is bigger than COIN_MAX_TRANSACTION_SIZE');
  seen.broadcasts.push({ method: name, params: text });
  seen.senderIds.push(senderId);
  if (text.includes('never answered')) return new Promise(() => {});
  if (text.includes('unsigned'))
    return Promise.reject(
      new Refusal(
        'missing_active_authority',
        'alice has not signed',
        { account: 'alice' },
        3010000,
        'Missing Active Authority alice',
      ),
    );
  return Promise.resolve({
    transactionId: 'ab'.repeat(20),
    blockNumber: 0,
    transactionNumber: -1,
    expired: false,
    transaction: '{}',
  });
}
