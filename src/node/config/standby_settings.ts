import { Fault } from '../../base/fault.ts';
import type { Target } from '../../p2p/addresses.ts';
import { parsePublicKey } from '../../values/public_key.ts';
import type { NamedStandby } from '../../witness/standby_offers.ts';
import { profileNamed } from '../chain_settings.ts';
import type { StandbySettings } from '../threads/standby_duties.ts';
import type { OptionValues } from './options.ts';

const NODE_ID = /^[0-9a-f]{64}$/;
const MOST_STANDBYS = 8; // each has a switch of its own signed

/** Who takes over from whom; undefined when nobody does. `seeds` are undefined where there is no network. Throws Fault `configuration`. */
export function standbySettingsOf(values: OptionValues, seeds: readonly Target[] | undefined): StandbySettings | undefined {
  const { 'standby-for': standbyFor, 'standby-node': named = [], witness: witnesses = [] } = values;
  if (standbyFor === undefined && named.length === 0) return undefined;
  const key = standbyFor === undefined ? 'standby-node' : 'standby-for';
  if (seeds === undefined) fail(`${key}: a standby needs peers; name some with p2p-seed-node, or let them in with p2p-endpoint`);
  if (standbyFor !== undefined && witnesses.length > 0) fail('standby-for: a standby has no witness of its own; leave out witness');
  if (witnesses.length > 1) fail('standby-node: one witness a node can be taken over from; give each a node of its own');
  if (named.length > MOST_STANDBYS) fail(`standby-node: at most ${MOST_STANDBYS} expected`);
  const { keyPrefix } = profileNamed(values.profile ?? 'default');
  return {
    standbyFor,
    file: besideDataDir(values, '.standby'),
    pinned: seeds.flatMap(({ id }) => id ?? []),
    standbys: named.map((text) => standbyIn(text, keyPrefix)),
  };
}

/** The folder of the database. */
export function dataDirOf({ 'data-dir': folder = 'data/node' }: OptionValues): string {
  return folder;
}

/** A file that a copy of the data folder doesn't contain. */
export function besideDataDir(values: OptionValues, ending: string): string {
  return `${dataDirOf(values).replace(/\/+$/, '')}${ending}`;
}

function standbyIn(text: string, prefix: string): NamedStandby {
  const [keyText = '', node = ''] = text.split('@');
  const key = parsePublicKey(keyText, prefix);
  return key === undefined || !NODE_ID.test(node)
    ? fail(`standby-node: ${prefix}…@ and 64 hex digits expected, got "${text}"`)
    : { key, node };
}

function fail(message: string): never {
  throw new Fault('configuration', message);
}
