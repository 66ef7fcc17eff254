import { Refusal } from '../base/refusal.ts';
import type { Json } from '../codec/json.ts';
import type { ChainSymbols } from '../codec/encoding_options.ts';
import { LINEAGE_COIN_NAME } from '../values/profile.ts';
import { CALL_MS } from './call_limits.ts';
import type { CallTerms, NodeConnection } from './connection.ts';

type Members = { [member: string]: Json };

/** A compressed point with its checksum is below 58⁵⁰ and not below 58⁴⁹: it begins with 2 or 3 and has 37 bytes. */
const KEY_CHARACTERS = 50;

/**
 * The symbols of a chain from the result of `database_api.get_config`: the names of its members contain the word, and one
 * of its values is a public key. `fallback` is used for what is missing.
 */
export function symbolsInConfig(config: Json, fallback: ChainSymbols): ChainSymbols {
  const members: Members = typeof config === 'object' && config !== null && !Array.isArray(config) ? config : {};
  const upper = Object.keys(members)
    .find((name) => name.endsWith('_CHAIN_ID'))
    ?.slice(0, -'_CHAIN_ID'.length);
  if (upper === undefined) return fallback;
  const word = upper.toLowerCase();
  const key = optionalText(members[`${upper}_INIT_PUBLIC_KEY`]);
  return {
    coinSymbol: optionalText(members[`${upper}_SYMBOL`]) ?? fallback.coinSymbol,
    vestsSymbol: optionalText(members['VESTS_SYMBOL']) ?? fallback.vestsSymbol,
    keyPrefix: (key === undefined ? undefined : keyPrefix(key)) ?? fallback.keyPrefix,
    coinName: word,
    ...answerForms(word),
  };
}

/** Returns the JSON forms of the built-in chain with this word. */
function answerForms(word: string): Pick<ChainSymbols, 'answersLineage' | 'readsLineage'> {
  return word === LINEAGE_COIN_NAME ? { answersLineage: true, readsLineage: true } : {};
}

/** The prefix of a public key's text. */
function keyPrefix(key: string): string | undefined {
  return key.length > KEY_CHARACTERS ? key.slice(0, -KEY_CHARACTERS) : undefined;
}

/** The chain id in the result of `alexandria_api.get_version`. Refuses a result without one. */
export function readChainId(answer: Json): string {
  const info = member(answer, 'version_info');
  const id = optionalText(member(info, 'chain_id'));
  if (id === undefined || !/^[0-9a-f]{64}$/.test(id))
    throw new Refusal('no_chain_id', 'the node does not say which chain it is on');
  return id;
}

const READ: CallTerms = { timeoutMs: CALL_MS, repeatable: true };

/** The id of the chain that a node is on. */
export async function askedChainId(connection: NodeConnection, terms = READ): Promise<string> {
  return readChainId(await connection.call('alexandria_api.get_version', {}, terms));
}

/** A member of an object; undefined when it is missing, or when the value isn't an object. */
export function member(json: Json | undefined, name: string): Json | undefined {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? json[name] : undefined;
}

function optionalText(json: Json | undefined): string | undefined {
  return typeof json === 'string' && json !== '' ? json : undefined;
}
