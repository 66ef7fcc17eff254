import { quickSignature } from './quick_signature.ts';
import assert from 'node:assert/strict';

import { present } from '../../src/base/assert.ts';
import type { VerifiedBlock } from '../../src/blocks/block.ts';
import { inOrder } from '../../src/blocks/signature_form.ts';
import {
  packTransaction,
  signingDigest,
  type SignedTransaction,
  type VerifiedTransaction,
} from '../../src/blocks/transaction.ts';
import { Chain } from '../../src/chain/chain.ts';
import { makeOrigin } from '../../src/chain/chain_origin.ts';
import { invariantViolations } from '../../src/chain/invariants.ts';
import type { Json } from '../../src/codec/json.ts';
import type { EncodingOptions } from '../../src/codec/encoding_options.ts';
import { sha256, sha256Binary } from '../../src/crypto/hashes.ts';
import { derivePublicKey } from '../../src/crypto/keys.ts';
import { operationCodec } from '../../src/operations/index.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { chainParameters, type ChainParameters } from '../../src/state/parameters.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';
import { accounts } from '../../src/state/tables/account.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import type { KeyValueStore } from '../../src/storage/key_value.ts';
import { recomputeStateHash } from '../../src/storage/state_hash.ts';
import { tables } from '../../src/state/tables/index.ts';

import { blockReference } from '../../src/values/block_reference.ts';
import type { Digest } from '../../src/values/hash.ts';
import { profiles } from '../../src/values/profile.ts';
import { publicKeyText } from '../../src/values/public_key.ts';

const profile = present(profiles['default'], 'the default profile');

/** When the test chain begins: 2026-11-21T00:00:00. */
export const GENESIS_TIME = 1_795_219_200;
/** The accounts of every test chain, with 10 million coins each. */
export const people = ['alice', 'bob', 'carol', 'dave', 'erin'] as const;

export const encoding: EncodingOptions = { ...profile, dialect: 'default', operationForm: 'pair' };

/** The secret of a test account. */
export function testSecret(name: string): Uint8Array {
  return sha256(Buffer.from(name));
}

/** Cached: computing the point costs more than anything else that a test does with a key. */
const keys = new Map<string, string>();

/** The public key of a test account. */
export function testKey(name: string): string {
  const key = keys.get(name) ?? Buffer.from(present(derivePublicKey(testSecret(name)), 'a key')).toString('hex');
  keys.set(name, key);
  return key;
}

/** The same as text. */
export function testKeyText(name: string): string {
  return publicKeyText(testKey(name), profile.keyPrefix);
}

/** The genesis file of a test chain; `overrides` are further members. */
export function testGenesis(
  overrides: Readonly<Record<string, Json>> = {},
  rules: RuleSet = 'interface',
): { [member: string]: Json } {
  return {
    initial_public_key: testKeyText('initminer'),
    initial_signing_key: testKeyText('initminer'),
    initial_balace: 300_000_000_000_000,
    genesis_time: '2026-11-21T00:00:00',
    hardfork_req_witnesses: 1,
    minimum_vesting_seconds: 0,
    confirmations_from_block: 201_600,
    // Most tests make blocks irreversible without votes; those of finality say otherwise.
    finality: false,
    initial_accounts: people.map((name) => ({ name, key: testKeyText(name), balance: 10_000_000_000_000 })),
    rules,
    ...overrides,
  };
}

/** The parameters of a chain with that genesis file. */
export function readTestParameters(genesis: Json): ChainParameters {
  const { genesis: read, chainId } = makeOrigin(Buffer.from(JSON.stringify(genesis)), profile);
  return chainParameters(profile, read, chainId);
}

/** The parameters of a test chain; `overrides` are members of the genesis file. */
export function testParameters(
  overrides: Readonly<Record<string, Json>> = {},
  rules: RuleSet = 'interface',
): ChainParameters {
  return readTestParameters(testGenesis(overrides, rules));
}

/** A chain in memory, or in a store that is given. */
export function openChain(
  parameters: ChainParameters = testParameters(),
  store: KeyValueStore = new MemoryStore(),
  checkpoints: ReadonlyMap<number, string> = new Map(),
  blocksKept?: number,
): Chain {
  return new Chain({ store, parameters, checkpoints, blocksKept, durable: false });
}

/** Differences of a transaction from an ordinary one. */
export interface TransactionOptions {
  readonly expiration?: number;
  /** The id of its reference block; the head by default. */
  readonly reference?: string;
}

/** A signed transaction of operations in JSON on top of the head of a chain. */
export function makeTransaction(
  chain: Chain,
  parameters: ChainParameters,
  operations: readonly Json[],
  signers: readonly string[],
  options: TransactionOptions = {},
): VerifiedTransaction {
  // Blocks can hold texts of any length, which a node refuses where it reads JSON.
  const unchecked: EncodingOptions = { ...encoding, readsAnswers: true };
  const read = operations.map((operation) => operationCodec.fromJson(operation, unchecked));
  return unsignedTransaction(chain, parameters, read, signers, options);
}

/** The same from operations, which may be such as JSON cannot express. */
export function unsignedTransaction(
  chain: Chain,
  parameters: ChainParameters,
  operations: readonly Operation[],
  signers: readonly string[],
  options: TransactionOptions = {},
): VerifiedTransaction {
  const { id, time } = chain.head;
  const unsigned = {
    ...blockReference(options.reference ?? id),
    expiration: options.expiration ?? time + 60,
    operations,
    extensions: [],
  };
  return signTransaction(parameters.chainId, { ...unsigned, signatures: [] }, signers);
}

/**
 * A transaction with the signatures of these accounts, as a verifier would pass it on. Whose they are is known:
 * recovering it would cost more than what a chain does with the transaction. Whoever gets it in a block recovers it all
 * the same.
 */
export function signTransaction(
  chainId: Digest,
  unsigned: SignedTransaction,
  names: readonly string[],
): VerifiedTransaction {
  const digest = signingDigest(chainId, packTransaction(unsigned));
  const keyOfSignature = new Map(names.map((name) => [quickSignature(digest, testSecret(name)), testKey(name)]));
  const signatures = inOrder([...keyOfSignature.keys()]);
  return {
    ...packTransaction({ ...unsigned, signatures }),
    signers: signatures.map((signature) => keyOfSignature.get(signature)),
  };
}

/** A transfer of `amount` millionths; the memo makes equal transfers different. */
export function transferJson(from: string, to: string, amount: number | bigint, memo = ''): Json {
  const whole = BigInt(amount);
  return [
    'transfer',
    {
      fee: '0.010000 COIN',
      from,
      to,
      amount: `${whole / 1_000_000n}.${(whole % 1_000_000n).toString().padStart(6, '0')} COIN`,
      memo,
    },
  ];
}

/**
 * Parameters of small rounds in which a block stands for an hour: what the chain counts in blocks or days comes soon.
 */
export const hourlyBlocks = {
  block_interval: 3600,
  max_witnesses: 5,
  max_voted_witnesses: 3,
  max_allowed_ops: 12,
  initial_witness_req_vesting_balance: 1_000_000,
  final_witness_req_vesting_balance: 2_000_000,
};

/** Produces the block of a slot, 1 being the next one. */
export function produce(chain: Chain, slot = 1): VerifiedBlock {
  const scheduled = present(chain.findProductionSlot(chain.slotTime(slot)), 'a slot');
  // Every witness of a test chain signs with the key derived from its name, including the first.
  const secret = testSecret(scheduled.witness);
  return chain.seal({ ...scheduled, sign: (digest) => quickSignature(digest, secret) });
}

/**
 * A chain with small blocks: each takes `transactionsASecond` transactions of the largest size for each second of the
 * interval.
 */
export function openSmallBlocks(transactionsASecond = 16): {
  readonly chain: Chain;
  readonly parameters: ChainParameters;
  readonly store: MemoryStore;
} {
  const store = new MemoryStore();
  const parameters = testParameters({
    max_transaction_size: 1024,
    max_witnesses: 1,
    max_voted_witnesses: 1,
    max_block_size: transactionsASecond,
  });
  const chain = openChain(parameters, store);
  for (let number = 0; number < 3; number++) produce(chain);
  return { chain, parameters, store };
}

/** Transfers of alice to carol until one waits for a place behind the next block. */
export function fillNextBlock(chain: Chain, parameters: ChainParameters): void {
  const transfer = (amount: number): VerifiedTransaction =>
    makeTransaction(chain, parameters, [transferJson('alice', 'carol', amount, 'x'.repeat(400))], ['alice']);
  for (let amount = 1; chain.accept(transfer(amount)) === 'pending'; amount++);
}

/** The liquid balance of an account at the head. */
export function accountBalance(chain: Chain, name: string): bigint {
  return present(chain.committed.get(accounts, name), name).balance;
}

/** The state does not contradict itself, and its hash is that of its rows. */
export function assertSound(chain: Chain, parameters: ChainParameters, store: KeyValueStore): void {
  assert.deepEqual(invariantViolations(chain.committed, parameters), []);
  assert.equal(chain.head.stateHash, recomputeStateHash(store, tables, sha256Binary));
}

/** Returns the chain's head without the irreversible block, which depends on the branches that it has seen. */
export function headPosition({
  head: { number, id, time, stateHash },
}: Chain): Omit<Chain['head'], 'lastIrreversible' | 'confirmed'> {
  return { number, id, time, stateHash };
}
