import type { Json } from '../codec/json.ts';
import type { ChainSymbols } from '../codec/encoding_options.ts';
import { isProvable, provenAnswer } from '../client/verified/proven_answer.ts';
import type { FinalHead } from '../client/verified/proven_results.ts';
import type { VerifiedClient } from '../client/verified/verified_client.ts';
import type { TransactionId } from '../values/hash.ts';

/** Methods that every command calls, and that show nothing of the chain. */
const OF_NO_CHAIN = /\.(?:get_config|get_version|get_dynamic_global_properties)$/;

/** The proofs of a wallet with a checkpoint: provable answers of its node are proven or refused. */
export class Proofs {
  readonly #client: VerifiedClient;
  #hasProven = false;
  readonly #unproven = new Set<string>();

  constructor(client: VerifiedClient) {
    this.#client = client;
  }

  /** The answer, without what isn't proven in it; an answer of a method without proofs is noted and returned. */
  async proven(method: string, params: Json, answer: Json, words: () => Promise<ChainSymbols>): Promise<Json> {
    if (!isProvable(method)) {
      if (!OF_NO_CHAIN.test(method)) this.#unproven.add(method);
      return answer;
    }
    const proven = await provenAnswer(this.#client, { method, params, answer, words: await words() });
    this.#hasProven = true;
    return proven;
  }

  /** Refuses a transaction that is in no final block. */
  async requireFinal(id: TransactionId): Promise<void> {
    await this.#client.transaction(id);
    this.#hasProven = true;
  }

  /** Reports the answers since the last time to a person; undefined when there were none. */
  async report(): Promise<string | undefined> {
    const unproven = [...this.#unproven];
    this.#unproven.clear();
    const proven = this.#hasProven ? provenLine(await this.#client.head()) : undefined;
    this.#hasProven = false;
    const said = unproven.length === 0 ? undefined : `not proven, as the node says it: ${unproven.join(', ')}`;
    const lines = [proven, said].filter((line) => line !== undefined);
    return lines.length === 0 ? undefined : lines.join('; ');
  }

  close(): void {
    this.#client.close();
  }
}

/** Returns the line beside a proven result. */
export function provenLine({ number, ageSeconds }: FinalHead): string {
  return `proven to be final; the newest final block, ${number}, is ${ageSeconds} s old`;
}
