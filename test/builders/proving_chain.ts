import assert from 'node:assert/strict';

import { present } from '../../src/base/assert.ts';
import { parseCheckpoint } from '../../src/values/checkpoint.ts';
import { Chain } from '../../src/chain/chain.ts';
import type { Json } from '../../src/codec/json.ts';
import { writeJson } from '../../src/codec/json_writer.ts';
import { CommittedFinality } from '../../src/node/network/committed_finality.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import type { KeyValueStore } from '../../src/storage/key_value.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import type { PublicKey } from '../../src/values/public_key.ts';
import { dispatcherOver } from '../rpc/methods/node_of_methods.ts';
import { makeCertificate } from './certificates.ts';
import { testKey, testSecret } from './chain.ts';
import { growSide, partedParameters } from './parted_witnesses.ts';
import { verifyProof, type ProofJson, type ProvenHeader, type Trust } from './proof_verifier.ts';

const SIGNING_NAMES = 64;
/** The names of keys that witnesses of these chains may take. */
export const signingNames: readonly string[] = Array.from({ length: SIGNING_NAMES }, (_, at) => `signing ${at}`);
const secrets = new Map<PublicKey, Uint8Array>();

/** The state of finality as a node answers it. */
export interface StateJson {
  readonly chain_id: string;
  readonly epoch_blocks: number;
  readonly epoch: number;
  readonly voters: readonly string[];
  readonly voters_digest: string;
  readonly checkpoint: string;
  readonly final_block_num: number;
  readonly certificate?: string;
}

/** A chain with finality, and the methods over it that prove its blocks. */
export class ProvingChain {
  readonly store: KeyValueStore;
  readonly parameters: ChainParameters;
  readonly #blocksKept: number | undefined;
  readonly #epochsKept: number | undefined;
  #chain: Chain;

  constructor(
    store: KeyValueStore,
    parameters: ChainParameters,
    { blocksKept, epochsKept }: { readonly blocksKept?: number; readonly epochsKept?: number } = {},
  ) {
    this.store = store;
    this.parameters = parameters;
    this.#blocksKept = blocksKept;
    this.#epochsKept = epochsKept;
    this.#chain = this.#opened();
  }

  get chain(): Chain {
    return this.#chain;
  }

  /** As after a restart of the process. */
  restart(): void {
    this.#chain = this.#opened();
  }

  /** All of its voters make a block of the main branch final; `signers` says how many of them have signed. */
  finalise(number: number, signers = Infinity): void {
    const whole = makeCertificate(this.#chain, this.parameters, number, 'commit', secretOfKey);
    const certificate = { ...whole, signatures: whole.signatures.slice(0, signers) };
    this.#chain.finalise(certificate.subject.block, certificate);
  }

  /** The result of a method of `block_api`, or the name of its error. */
  async ask<T>(method: string, params: Json = {}): Promise<T | string> {
    const text = await this.call(method, params);
    const { result, error }: { result?: T; error?: { data?: { name?: string } } } = JSON.parse(text);
    return result ?? error?.data?.name ?? 'none';
  }

  /** The whole answer to a call of such a method. */
  async call(method: string, params: Json): Promise<string> {
    return await this.answer(Buffer.from(writeJson({ jsonrpc: '2.0', id: 1, method: `block_api.${method}`, params })));
  }

  /** The answer of a node to the body of a request. */
  async answer(body: Buffer): Promise<string> {
    return present(await this.methods().dispatch(body), 'an answer').toString();
  }

  /** The methods over the chain as it is now. */
  methods(services: Parameters<typeof dispatcherOver>[3] = {}): ReturnType<typeof dispatcherOver> {
    const { store, parameters } = this;
    const settled = (): number => this.#chain.settled;
    const finality = parameters.hasFinality
      ? new CommittedFinality({ parameters, store, version: () => store.version(), settled })
      : undefined;
    return dispatcherOver(this.#chain, store, parameters, { finality, ...services });
  }

  /** The state of finality. */
  async state(): Promise<StateJson> {
    const state = await this.ask<StateJson>('get_finality');
    return typeof state === 'string' ? assert.fail(state) : state;
  }

  /** The trust of a client that begins with that epoch. */
  trust(epoch: number): Trust {
    const { chainId, blockIntervalSeconds: intervalSeconds } = this.parameters;
    const { digest } = present(this.#chain.voted.votersOf(epoch), `voters of epoch ${epoch}`);
    const now = this.#chain.head.time + intervalSeconds;
    return { chainId, epoch, voters: digest, since: now, now, intervalSeconds };
  }

  /** A block, proven to a client that trusts the epoch; or the name of the error. */
  async prove(number: number, trust: Trust): Promise<ProvenHeader | string> {
    const proof = await this.ask<ProofJson>('get_finality_proof', { block_num: number, trusted_epoch: trust.epoch });
    return typeof proof === 'string' ? proof : verifyProof(proof, trust);
  }

  #opened(): Chain {
    const { store, parameters } = this;
    return new Chain({
      ...{ store, parameters, durable: false },
      ...{ blocksKept: this.#blocksKept, epochsKept: this.#epochsKept },
    });
  }
}

/** A chain of one witness with so many blocks, each final where the chain has finality. */
export function provenChain(blocks: number, finality = true): ProvingChain {
  const proving = new ProvingChain(new MemoryStore(), partedParameters({ finality }));
  for (let number = 1; number <= blocks; number++) {
    growSide(proving.chain, ['initminer'], 1);
    if (finality) proving.finalise(number);
  }
  return proving;
}

/** Of whoever votes on these chains. */
export function secretOfKey(key: PublicKey): Uint8Array {
  if (secrets.size === 0)
    for (const name of [...signingNames, 'initminer', 'alice', 'bob', 'carol', 'dave', 'erin'])
      secrets.set(testKey(name), testSecret(name));
  return present(secrets.get(key), 'the secret of a voter');
}

/** A checkpoint as a client reads it. */
export function makeTrust(
  text: string,
  epochBlocks: number,
  later: Pick<Trust, 'chainId' | 'now' | 'intervalSeconds'>,
): Trust {
  const { number, voters, time } = present(parseCheckpoint(text), 'a checkpoint');
  return { ...later, epoch: number / epochBlocks, voters, since: time };
}
