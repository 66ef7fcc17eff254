import { Fault } from '../base/fault.ts';
import { Refusal } from '../base/refusal.ts';
import { packTransactions, type PackedBlock } from '../blocks/block.ts';
import { unwrapResult, type Outcome } from '../client/answer.ts';
import { member, symbolsInConfig } from '../client/chain_of_node.ts';
import type { HttpConnection } from '../client/http_connection.ts';
import type { Json } from '../codec/json.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import { systemClock } from '../base/clock.ts';
import { givenBlock } from '../queries/blocks.ts';
import { knownHardforks, protocolVersion } from '../state/hardforks.ts';
import { profiles } from '../values/profile.ts';
import { parseVersion, versionText } from '../values/version.ts';
import type { BlockSource } from './block_source.ts';

const CALL_MS = 60_000;

/**
 * Blocks asked for at once: as many calls as a node takes together by default. Halved where the node refuses so many or
 * so much.
 */
const MOST_AT_ONCE = 100;

/** Pause when the node's limit on calls per second is reached. */
const RATE_WAIT_MS = 500;

/** The blocks of a running node. They come as JSON; their ids and merkle roots show that they are the same bytes. */
export class NodeSource implements BlockSource {
  readonly name: string;
  readonly final: number;
  readonly #connection: HttpConnection;
  readonly #encoding: EncodingOptions;
  #atOnce = MOST_AT_ONCE;

  private constructor(name: string, final: number, connection: HttpConnection, encoding: EncodingOptions) {
    this.name = name;
    this.final = final;
    this.#connection = connection;
    this.#encoding = encoding;
  }

  /** Asks a node how far its irreversible blocks go. */
  static async of(url: string, connection: HttpConnection): Promise<NodeSource> {
    const config = await connection.call('database_api.get_config', {}, { timeoutMs: CALL_MS, repeatable: true });
    const state = await connection.call(
      'database_api.get_dynamic_global_properties',
      {},
      { timeoutMs: CALL_MS, repeatable: true },
    );
    const final = member(state, 'last_irreversible_block_num');
    if (typeof final !== 'number')
      throw new Fault('runtime', `${url} does not say which of its blocks are irreversible`);
    const symbols = symbolsInConfig(config, FALLBACK_SYMBOLS);
    return new NodeSource(url, final, connection, { ...symbols, dialect: 'default', operationForm: 'pair' });
  }

  async *blocks(first: number, last: number): AsyncGenerator<PackedBlock> {
    for (let next = first; next <= last;) {
      const count = Math.min(this.#atOnce, last - next + 1);
      const outcomes = await this.#ask(next, count);
      if (outcomes.some((outcome) => isRefusedAs(outcome, 'rate_exceeded'))) {
        await new Promise<void>((resolve) => void systemClock.after(RATE_WAIT_MS, resolve));
        continue;
      }
      if (count > 1 && outcomes.some((outcome) => 'refusal' in outcome)) {
        this.#atOnce = Math.max(1, Math.trunc(count / 2));
        continue;
      }
      if (count === 1 && outcomes.some((outcome) => isRefusedAs(outcome, TOO_LARGE))) throw tooLarge(next);
      for (const outcome of outcomes) yield await this.#readBlock(unwrapResult(outcome), next++);
    }
  }

  async #ask(first: number, count: number): Promise<Outcome[]> {
    const params = Array.from({ length: count }, (_, index) => ({ block_num: first + index }));
    return await this.#connection.callMany('block_api.get_block', params, CALL_MS);
  }

  /** Fault `outdated` where the chain has applied a hardfork that this program does not know, and the block shows it. */
  async #readBlock(json: Json, number: number): Promise<PackedBlock> {
    const strange = async (what: string, cause?: unknown): Promise<Fault> => {
      const remedy = await this.#newerRelease(number);
      const said = `${this.name}: block ${number} ${what}`;
      return remedy === undefined
        ? new Fault('runtime', said, cause)
        : new Fault('outdated', `${said}; ${remedy}`, cause);
    };
    if (json === null) throw new Fault('runtime', `${this.name}: block ${number} is not there`);
    let block: PackedBlock;
    try {
      block = packTransactions(givenBlock.fromJson(json, this.#encoding));
    } catch (error) {
      if (error instanceof Refusal) throw await strange(`is not as this program knows blocks: ${error.message}`, error);
      throw error;
    }
    if (block.number !== number || member(json, 'block_id') !== block.id)
      throw await strange('is not the one that its id names');
    return block;
  }

  /** The remedy where the chain has applied a hardfork that this program does not know. */
  async #newerRelease(number: number): Promise<string | undefined> {
    const [outcome] = await this.#connection.callMany('database_api.get_hardfork_properties', [{}], CALL_MS);
    if (outcome === undefined || 'refusal' in outcome) return undefined;
    const text = member(unwrapResult(outcome), 'current_hardfork_version');
    const current = typeof text === 'string' ? parseVersion(text) : undefined;
    const known = protocolVersion(knownHardforks);
    if (current === undefined || current <= known) return undefined;
    const version = versionText(current);
    return `the chain has applied hardfork ${version}, and this program knows version ${versionText(known)}: install a release of Pharos that knows version ${version}, and export with that from block ${number} on (--from ${number})`;
  }
}

const FALLBACK_SYMBOLS = profiles['default'] ?? {
  coinSymbol: 'COIN',
  vestsSymbol: 'VESTS',
  keyPrefix: 'PHR',
  coinName: 'coin',
};

const TOO_LARGE = 'answer_too_large';

/** There are no parts of a block to ask for. */
function tooLarge(number: number): Refusal {
  return new Refusal(
    TOO_LARGE,
    `block ${number} is longer than an answer may be: stop the node and export its folder (--data-dir), or set its max-answer-bytes higher`,
  );
}

function isRefusedAs(outcome: Outcome, code: string): boolean {
  return 'refusal' in outcome && outcome.refusal.code === code;
}
