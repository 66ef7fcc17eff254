import { nearby } from '../base/nearest.ts';
import { refusals } from '../base/refusal.ts';
import type { Params, Result } from '../rpc/method_types.ts';
import type { CallOptions } from './call_options.ts';
import { requireAwaited } from './awaited.ts';
import type { GivenParams } from './given_params.ts';

const refuse = refusals({
  unknown_function: 'this client has no function {name}; did you mean {near}?',
  one_param_expected: '{name}: an object of params expected, got {given}',
});

/**
 * The methods that a client has as functions, by group, each with its only required param where there is one. Where
 * several groups have a method of a name, the function is that of the first group.
 */
export const functionMethods = {
  alexandria_api: {
    account_exist: 'account_name',
    calculate_fee: '',
    get_account: 'account_name',
    get_account_balance: 'account_name',
    get_account_bandwidth: 'account',
    get_account_history: '',
    get_account_name_from_seed: 'seed',
    get_accounts: 'account_names',
    get_active_authority: 'account_name',
    get_active_witnesses: '',
    get_application_buyings: '',
    get_applications: 'names',
    get_applications_by_ids: 'ids',
    get_block: 'num',
    get_dynamic_global_properties: '',
    get_feed_history: 'symbol',
    get_hardfork_property_object: '',
    get_key_references: '',
    get_memo_key: 'account_name',
    get_ops_in_block: '',
    get_owner_authority: 'account_name',
    get_owner_history: 'account',
    get_received_documents: '',
    get_required_signatures: '',
    get_transaction: 'tx_id',
    get_transaction_digest: '',
    get_transaction_id: '',
    get_version: '',
    get_vesting_balance: 'account_name',
    get_witness: 'owner_account',
    get_witness_schedule_object: '',
    info: '',
    list_witnesses: '',
    list_witnesses_by_vote: '',
    verify_signature: '',
  },
  account_history_api: {
    enum_virtual_ops: '',
  },
  block_api: {
    get_average_block_size: '',
    get_block_header: 'block_num',
    get_block_range: '',
    get_finality: 'checkpoint_epoch',
    get_finality_proof: '',
    get_transaction_proof: '',
  },
  custom_api: {
    get_app_custom_messages: '',
    get_received_document: 'id',
    list_received_documents: '',
  },
  database_api: {
    find_account_recovery_requests: 'accounts',
    find_accounts: 'accounts',
    find_change_recovery_account_requests: 'accounts',
    find_escrows: 'from',
    find_owner_histories: 'owner',
    find_witnesses: 'owners',
    get_burned_balance: '',
    get_config: '',
    get_current_price_feed: 'symbol',
    get_dilution_protection: '',
    get_hardfork_properties: '',
    get_potential_signatures: '',
    get_promotion_pool_balance: '',
    get_transaction_hex: '',
    get_witness_schedule: '',
    list_account_recovery_requests: '',
    list_accounts: '',
    list_applications: '',
    list_change_recovery_account_requests: '',
    list_escrows: '',
    list_genesis_accounts: '',
    list_owner_histories: '',
    list_witness_votes: '',
    verify_account_authority: '',
    verify_authority: '',
    verify_signatures: '',
  },
  transaction_status_api: {
    find_transaction: '',
  },
} as const;

type Groups = typeof functionMethods;

/** The methods by the names of their functions. */
type Functions = {
  [G in keyof Groups]: {
    [M in keyof Groups[G] & string as CamelCase<M>]: readonly [name: `${G}.${M}`, only: Groups[G][M]];
  };
};

type CamelCase<S extends string> = S extends `${infer A}_${infer B}` ? `${A}${Capitalize<CamelCase<B>>}` : S;

type AllFunctions = Joined<Functions[keyof Functions]>;
type Joined<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never;

/**
 * Reading methods as functions of their params: `client.getAccount('alice')` is
 * `client.call('alexandria_api.get_account', { account_name: 'alice' })`. The value alone may stand for the params where
 * one is required.
 */
export type MethodFunctions = {
  readonly [F in keyof AllFunctions]: AllFunctions[F] extends readonly [infer N extends MethodOf, infer O]
    ? (...given: GivenParams<Params<N>, O>) => Promise<Result<N>>
    : never;
};

type MethodOf = { [G in keyof Groups]: `${G}.${keyof Groups[G] & string}` }[keyof Groups];

/** Calls a method by its name: the functions do so. */
interface Caller {
  call(name: string, params: object, options?: CallOptions): Promise<unknown>;
}

/** Methods and their only required param, by the names of their functions. */
export function methodFunctions(
  groups: Readonly<Record<string, Readonly<Record<string, string>>>>,
): ReadonlyMap<string, readonly [name: string, only: string]> {
  return new Map(
    Object.entries(groups).flatMap(([group, methods]) =>
      Object.entries(methods).map(([method, only]) => [camelCase(method), [`${group}.${method}`, only]] as const),
    ),
  );
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

const functions = methodFunctions(functionMethods);

/**
 * Gives the objects of a class the functions. A name close to that of a function, which none of them has, gives one that
 * says so.
 */
export function defineFunctions(prototype: Caller): void {
  const all = Object.fromEntries([...functions].map(([name, known]) => [name, callFunction(name, ...known)]));
  const get = (_: object, name: string | symbol): unknown =>
    name in all ? Reflect.get(all, name) : nearFunction(name);
  Object.setPrototypeOf(prototype, new Proxy(all, { get }));
}

function nearFunction(name: string | symbol): (() => never) | undefined {
  const near = typeof name === 'string' ? nearby(name, functions.keys()) : undefined;
  return near === undefined ? undefined : () => refuse.unknown_function({ name: String(name), near });
}

function callFunction(name: string, method: string, only: string) {
  return async function (this: Caller, given: unknown = {}, options: CallOptions = {}): Promise<unknown> {
    requireAwaited(given, name);
    const isParams = typeof given === 'object' && given !== null && !Array.isArray(given);
    if (isParams) return await this.call(method, given, options);
    if (only === '') return refuse.one_param_expected({ name, given: String(given) });
    return await this.call(method, { [only]: given }, options);
  };
}
