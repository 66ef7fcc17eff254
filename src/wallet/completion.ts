import type { Json } from '../codec/json.ts';
import { publicKeyText } from '../values/public_key.ts';
import type { Session } from './session.ts';
import { topics } from './topics.ts';
import { knownChainSymbols } from './wallet.ts';

/** Most names kept; the oldest are dropped. */
const MOST_NAMES = 1000;

/** Names that were typed or shown in this session. */
export class KnownNames {
  readonly #names = new Set<string>();

  /** Collects account names from a command's result. */
  learn(json: Json): void {
    if (typeof json !== 'object' || json === null) return;
    if (Array.isArray(json)) return json.forEach((each) => this.learn(each));
    for (const [member, value] of Object.entries(json)) {
      if (typeof value === 'string' && NAMED.has(member)) this.add(value);
      else this.learn(value);
    }
  }

  add(name: string): void {
    if (/^[\w-]{2,32}$/.test(name)) this.#names.add(name);
    const [oldest] = this.#names;
    if (this.#names.size > MOST_NAMES && oldest !== undefined) this.#names.delete(oldest);
  }

  all(): string[] {
    return [...this.#names];
  }
}

/** Members of records that hold account names. */
const NAMED: ReadonlySet<string> = new Set([
  'name',
  'owner',
  'from',
  'to',
  'account',
  'creator',
  'agent',
  'who',
  'receiver',
  'witness',
  'fee_payer',
  'producer',
  'current_witness',
  'author',
  'buyer',
]);

/**
 * Completions of the last word of a line, and that word: first commands, then names and keys; after `gethelp`,
 * commands.
 */
export function complete(line: string, session: Session, names: KnownNames): [string[], string] {
  const words = line.split(/\s+/);
  const last = words.at(-1) ?? '';
  const commands = session.wallet.commands.map(({ name }) => name);
  if (words.length === 1) return [filterByStart([...commands, 'exit'], last).map((name) => `${name} `), last];
  if (words[0] === 'gethelp' || words[0] === 'help')
    return [filterByStart([...topics.map(({ name }) => name), ...commands], last), last];
  const { keyPrefix } = knownChainSymbols(session.wallet);
  const keys = session.wallet.keys.keys().map(([key]) => publicKeyText(key, keyPrefix));
  return [filterByStart([...names.all(), ...keys], last).map((word) => `${word} `), last];
}

function filterByStart(words: readonly string[], start: string): string[] {
  return words.filter((word) => word.startsWith(start)).sort();
}
