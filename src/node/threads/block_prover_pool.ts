import { Piscina } from 'piscina';
import type { ProvedBlock } from '../../blocks/block.ts';
import { ByteWriter } from '../../codec/bytes.ts';
import { defaultVerifierThreads } from './verifier_threads.ts';
import type { BlocksToProve } from './block_prover.ts';
import { decodeProvedBlocks } from './proved_blocks.ts';

/** Finds out in other threads who signed blocks, while this one applies them. */
export class BlockProverPool {
  readonly #chainId: string;
  readonly #pool: Piscina<BlocksToProve, Uint8Array>;

  constructor(chainId: string) {
    const threads = defaultVerifierThreads();
    this.#chainId = chainId;
    this.#pool = new Piscina({
      filename: new URL('./block_prover.js', import.meta.url).href,
      name: 'prove',
      minThreads: threads,
      maxThreads: threads,
      idleTimeout: Infinity,
    });
  }

  /** Reads packed blocks; rejects with the Refusal of one that is malformed. */
  async prove(packed: readonly Uint8Array[]): Promise<ProvedBlock[]> {
    const out = new ByteWriter(packed.reduce((sum, { length }) => sum + length + 4, 16));
    for (const block of packed) {
      out.u32(block.length);
      out.bytes(block);
    }
    const bytes = out.finish();
    return decodeProvedBlocks(await this.#pool.run({ chainId: this.#chainId, bytes }, { transferList: [bytes.buffer] }));
  }

  async close(): Promise<void> {
    await this.#pool.close({ force: true });
  }
}
