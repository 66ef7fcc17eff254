import { Fault } from '../base/fault.ts';
import type { Target } from '../wire/addresses.ts';
import { parsePublicKey } from '../values/public_key.ts';
import type { NamedStandby } from '../witness/standby_offers.ts';
import { readProfile } from './read_chain_settings.ts';
import type { SettingsOf } from './options.ts';
import { besideDataDir } from './store_settings.ts';
import type { AccountName } from '../values/account_name.ts';

const NODE_ID = /^[0-9a-f]{64}$/;
const MOST_STANDBYS = 8; // each has a switch of its own signed

/**
 * Reads the standbys, and the witness to stand by for; undefined for none. `seeds` are undefined where there is no
 * network. Throws Fault `configuration`.
 */
export function readStandbySettings(
  values: SettingsOf<'standby' | 'chain' | 'store'>,
  witnesses: readonly string[],
  seeds: readonly Target[] | undefined,
): StandbySettings | undefined {
  const { 'standby-for': standbyFor, 'standby-node': named = [] } = values;
  if (standbyFor === undefined && named.length === 0) return undefined;
  const key = standbyFor === undefined ? 'standby-node' : 'standby-for';
  if (seeds === undefined)
    fail(`${key}: a standby needs peers; name some with p2p-seed-node, or let them in with p2p-endpoint`);
  if (standbyFor !== undefined && witnesses.length > 0)
    fail('standby-for: a standby has no witness of its own; leave out witness');
  if (witnesses.length > 1)
    fail('standby-node: one witness a node can be taken over from; give each a node of its own');
  if (named.length > MOST_STANDBYS) fail(`standby-node: at most ${MOST_STANDBYS} expected`);
  const { keyPrefix } = readProfile(values);
  return {
    standbyFor,
    file: besideDataDir(values, '.standby'),
    pinned: seeds.flatMap(({ id }) => id ?? []),
    standbys: named.map((text) => parseStandby(text, keyPrefix)),
  };
}

/** The witness that a node stands by for. */
export function readStandbyWitness({ 'standby-for': witness }: SettingsOf<'standby'>): AccountName | undefined {
  return witness;
}

/** True when a node takes key switches of peers: a standby does. */
export function takesSwitches(values: SettingsOf<'standby'>): boolean {
  return readStandbyWitness(values) !== undefined;
}

function parseStandby(text: string, prefix: string): NamedStandby {
  const [keyText = '', node = ''] = text.split('@');
  const key = parsePublicKey(keyText, prefix);
  return key === undefined || !NODE_ID.test(node)
    ? fail(`standby-node: ${prefix}…@ and 64 hex digits expected, got "${text}"`)
    : { key, node };
}

function fail(message: string): never {
  throw new Fault('configuration', message);
}

/** The operator's standbys, and the witness to stand by for. */
export interface StandbySettings {
  /** The witness that this node stands by for. */
  readonly standbyFor: AccountName | undefined;
  /** The file of the switch. */
  readonly file: string;
  /** Ids of the nodes that it connects to by name. */
  readonly pinned: readonly string[];
  /** The nodes that may take over from this node's own witness. */
  readonly standbys: readonly NamedStandby[];
}
