import type { Given } from '../codec/codec.ts';
import type { StaticEncode, TArray, TObject, TProperties, TSchema } from '../jsonrpc/envelope/typebox.ts';
import type { accountBandwidthApi } from './account_bandwidth_api/index.ts';
import type { accountByKeyApi } from './account_by_key_api/index.ts';
import type { accountHistoryApi } from './account_history_api/index.ts';
import type { AlexandriaMethod } from './alexandria_api/index.ts';
import type { blockApi } from './block_api/index.ts';
import type { chainApi } from './chain_api/index.ts';
import type { customApi } from './custom_api/index.ts';
import type { databaseApi } from './database_api/index.ts';
import type { debugApi } from './debug_api/index.ts';
import type { TypedMethod } from './method.ts';
import type { networkBroadcastApi } from './network_broadcast_api/index.ts';
import type { networkNodeApi } from './network_node_api/index.ts';
import type { snapshotApi } from './snapshot_api/index.ts';
import type { subscribeApi } from './subscribe_api/index.ts';
import type { transactionStatusApi } from './transaction_status_api/index.ts';
import type { witnessNodeApi } from './witness_node_api/index.ts';

type Registered =
  | typeof accountBandwidthApi
  | typeof accountByKeyApi
  | typeof accountHistoryApi
  | typeof blockApi
  | typeof chainApi
  | typeof customApi
  | typeof databaseApi
  | typeof debugApi
  | typeof networkBroadcastApi
  | typeof networkNodeApi
  | typeof snapshotApi
  | typeof subscribeApi
  | typeof transactionStatusApi
  | typeof witnessNodeApi;

type Declared = AlexandriaMethod | Registered[number];

/** The names of the methods that a client can call with types. */
export type MethodName = Declared['name'];

type Types<N extends MethodName> =
  Extract<Declared, { readonly name: N }> extends TypedMethod<N, infer P, infer R> ? { params: P; result: R } : never;

/** The params of a method as plain values; members with a default may be left out. */
export type Params<N extends MethodName> = GivenParams<Types<N>['params']>;

/**
 * The result of a method as plain values: names, keys, times and amounts are texts, integers of 64 bits and more are
 * bigint.
 */
export type Result<N extends MethodName> = PlainSchema<Types<N>['result']>;

/** The type that a schema describes, for programs of a client. */
type PlainSchema<S> = S extends { readonly codec: { readonly plain?: infer J } }
  ? J
  : S extends TArray<infer I>
    ? readonly PlainSchema<I>[]
    : S extends TObject<infer P>
      ? PlainMembers<P>
      : S extends TSchema
        ? StaticEncode<S>
        : never;

type PlainMembers<P extends TProperties> = { readonly [K in Exclude<keyof P, OptionalOf<P>>]: PlainSchema<P[K]> } & {
  readonly [K in OptionalOf<P>]?: PlainSchema<P[K]>;
};

type GivenParams<P extends TProperties> = {
  readonly [K in Exclude<keyof P, OmissibleOf<P>>]: Given<PlainSchema<P[K]>>;
} & {
  readonly [K in OmissibleOf<P>]?: Given<PlainSchema<P[K]>>;
};

type OptionalOf<P extends TProperties> = {
  [K in keyof P]: P[K] extends { readonly '~optional': true } ? K : never;
}[keyof P];

type OmissibleOf<P extends TProperties> =
  | OptionalOf<P>
  | { [K in keyof P]: P[K] extends TSchema & { readonly default: unknown } ? K : never }[keyof P];
