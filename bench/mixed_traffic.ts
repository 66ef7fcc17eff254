import { assert, present } from '../src/base/assert.ts';
import { systemClock } from '../src/base/clock.ts';
import { readJson } from '../src/codec/json_reader.ts';
import { devAccounts, devSecret } from '../src/dev_chain/dev_genesis.ts';
import { mixNamed } from '../src/load_test/mix.ts';
import { operationMakers } from '../src/load_test/operation_makers.ts';
import { PostMaker } from '../src/load_test/post_maker.ts';
import { accountsOfSeed, creation } from '../src/load_test/prepared_accounts.ts';
import { acceptBatch } from '../src/node/threads/writer/accept_batch.ts';
import { BatchVerifier } from '../src/verifiers/batch_verifier.ts';
import type { DevChain } from './dev_chain.ts';
import { packParams, rawBatch } from './raw_transfers.ts';

const SEEDED = { seed: 'mixed', profileName: 'default' };
const ACCOUNTS = 40;
const WITNESS = 'initminer';
const FUND = 10_000_000_000n;
/** Above what any kind of the mix costs. */
const FEE_FACTOR = 4n;
/** As many as come together from a few dozen connections. */
const BATCH = 24;

/**
 * The traffic of a network that people use (mix `real`) without front and threads: what a verifier does with it, and
 * then the writer.
 */
export class MixedTraffic {
  readonly #dev: DevChain;
  readonly #verifier: BatchVerifier;
  readonly #maker: PostMaker;
  #verified: Uint8Array<ArrayBuffer>[] = [];

  constructor(dev: DevChain) {
    this.#dev = dev;
    const { parameters, chain } = dev;
    const handOver = (bytes: Uint8Array<ArrayBuffer>): number => this.#verified.push(bytes);
    this.#verifier = new BatchVerifier({ parameters, view: chain.committed, clock: systemClock, handOver });
    const [creator] = devAccounts;
    for (let index = 0; index < ACCOUNTS; index++)
      dev.chain.accept(dev.verified(creation(SEEDED, creator, index, FUND), creator));
    dev.seal();
    const accounts = accountsOfSeed({ ...SEEDED, count: ACCOUNTS }).map(({ name, secrets, isActedFor }) => ({
      name,
      secrets,
      isActedFor,
      isWitness: false,
    }));
    const fee = FEE_FACTOR * present(parameters.baseFees.get(parameters.coinSymbol), 'the base fee');
    this.#maker = new PostMaker({
      mix: mixNamed('real'),
      profileName: 'default',
      chainId: parameters.chainId,
      accounts: [...accounts, { name: WITNESS, secrets: [devSecret(WITNESS)], isWitness: true }],
      fees: Object.fromEntries(Object.keys(operationMakers).map((kind) => [kind, fee])),
      witness: WITNESS,
      seed: 1,
      first: 1,
      step: 1,
    });
  }

  /** Batches of about so many calls in all, as the front hands them over. */
  draw(calls: number): { readonly batches: readonly Uint8Array[]; readonly count: number } {
    const { id: blockId, time: headTime } = this.#dev.chain.head;
    const posts = this.#maker.make(calls, { blockId, headTime, expiration: headTime + 3000 });
    const params = posts
      .map(({ body }) => readJson(body))
      .flatMap((body) => (Array.isArray(body) ? body.map(packParams) : [packParams(body)]));
    const batches: Uint8Array[] = [];
    for (let from = 0; from < params.length; from += BATCH) batches.push(rawBatch(params.slice(from, from + BATCH)));
    return { batches, count: params.length };
  }

  /** Decodes and verifies the batches; `apply` takes what they come to. */
  verify(batches: readonly Uint8Array[]): void {
    this.#verified = [];
    for (const batch of batches) {
      const [refused] = this.#verifier.verify(batch).refused;
      assert(refused === undefined, `nothing of the mix is refused: ${JSON.stringify(refused?.refusal)}`);
    }
  }

  /** Applies what was verified last, all checks and undo included. */
  apply(): void {
    for (const bytes of this.#verified) {
      const { verdicts } = acceptBatch(this.#dev.chain, bytes);
      for (const { refusal } of verdicts)
        assert(refusal === undefined, `nothing of the mix is refused: ${JSON.stringify(refusal)}`);
    }
  }
}
