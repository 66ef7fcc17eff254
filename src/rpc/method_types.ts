import type { StaticEncode, TProperties, TSchema } from '../jsonrpc/typebox.ts';
import type { accountBandwidthApi } from './account_bandwidth_api/index.ts';
import type { accountByKeyApi } from './account_by_key_api/index.ts';
import type { accountHistoryApi } from './account_history_api/index.ts';
import type { AlexandriaMethod } from './alexandria_api/index.ts';
import type { blockApi } from './block_api/index.ts';
import type { chainApi } from './chain_api/index.ts';
import type { customApi } from './custom_api/index.ts';
import type { databaseApi } from './database_api/index.ts';
import type { TypedMethod } from './method.ts';
import type { networkBroadcastApi } from './network_broadcast_api/index.ts';
import type { ParamsOf } from '../jsonrpc/params.ts';
import type { subscribeApi } from './subscribe_api/index.ts';
import type { witnessNodeApi } from './witness_node_api/index.ts';

type Registered =
  | typeof accountBandwidthApi
  | typeof accountByKeyApi
  | typeof accountHistoryApi
  | typeof blockApi
  | typeof chainApi
  | typeof customApi
  | typeof databaseApi
  | typeof networkBroadcastApi
  | typeof subscribeApi
  | typeof witnessNodeApi;

type Declared = AlexandriaMethod | Registered[number];

/** The names of the methods that a client can call with types. */
export type MethodName = Declared['name'];

type Types<N extends MethodName> =
  Extract<Declared, { readonly name: N }> extends TypedMethod<N, infer P, infer R> ? { params: P; result: R } : never;

/** The params of a method; members with a default may be left out. */
export type Params<N extends MethodName> = Given<Types<N>['params']>;

/** The result of a method, with amounts as bigint and keys and ids as hex digits where the declaration says so. */
export type Result<N extends MethodName> = StaticEncode<Types<N>['result']>;

type Given<P extends TProperties> = Omit<ParamsOf<P>, Defaulted<P>> & Partial<Pick<ParamsOf<P>, Defaulted<P> & keyof ParamsOf<P>>>;

type Defaulted<P extends TProperties> = { [K in keyof P]: P[K] extends TSchema & { readonly default: unknown } ? K : never }[keyof P];
