import { Fault } from '../base/fault.ts';
import { decodeWif } from '../crypto/wif.ts';
import { requireSocketPath } from '../jsonrpc/http/unix_socket.ts';
import { readSigningKeys } from '../witness/signing/signing_keys.ts';
import { isPrivateNet } from './read_chain_settings.ts';
import type { SettingsOf } from './options.ts';
import { readStandbyWitness, readStandbySettings, type StandbySettings } from './standby_settings.ts';
import { besideDataDir } from './store_settings.ts';
import type { Mining } from '../rpc/mining.ts';
import type { P2pSettings } from './p2p_settings.ts';

const FULL_PARTICIPATION_PERCENT = 100;

/**
 * Reads the producing witnesses and their keys; undefined when there are none. Asks for the password of key files where
 * nothing says it. Throws Fault `configuration`.
 */
export async function readProductionSettings(
  values: SettingsOf<'production' | 'standby' | 'chain' | 'store'>,
  p2p: P2pSettings | undefined,
): Promise<ProductionSettings | undefined> {
  const [own, standbyFor] = [values.witness ?? [], readStandbyWitness(values)];
  const witnesses = [...own, ...(standbyFor === undefined ? [] : [standbyFor])];
  // A private net's only past slots are those since its built-in genesis, all of them missed.
  const isPrivate = isPrivateNet(values);
  const percent = values['required-participation'] ?? (isPrivate ? 0 : undefined);
  if (percent !== undefined && percent > FULL_PARTICIPATION_PERCENT)
    fail(`required-participation: 0 to 100 percent expected, got ${percent}`);
  const said = (values['private-key'] ?? []).map(
    (wif, index) => decodeWif(wif) ?? fail(`private-key: the ${index + 1}. value is not a WIF key`),
  );
  const filed = await readSigningKeys(values['private-key-file'] ?? [], values['private-key-password-file']);
  const secrets = [...said, ...filed];
  const signerSocket = requireSocketPath(values['signer-socket'], 'signer-socket');
  if (signerSocket !== undefined && secrets.length > 0)
    fail('signer-socket: the signer holds the keys; leave out private-key and private-key-file');
  // Keys without a witness are a mistake that production reports.
  if (witnesses.length === 0 && secrets.length === 0) return undefined;
  return {
    witnesses,
    secrets,
    allowStale: values['enable-stale-production'] === true,
    requiredParticipation: percent === undefined ? undefined : percent * 100,
    acceptsLowParticipation: isPrivate || values['accept-low-participation'] === true,
    ownTime: false,
    everyMs: undefined,
    hasPeers: p2p !== undefined,
    hasSeeds: p2p !== undefined && p2p.seeds.length > 0,
    signerSocket,
    standby: readStandbySettings(values, own, p2p?.seeds),
    signingJournal: values['signing-journal'] ?? besideDataDir(values, '.signed'),
  };
}

function fail(message: string): never {
  throw new Fault('configuration', message);
}

/** The witnesses that this node produces blocks for. */
export interface ProductionSettings {
  readonly witnesses: readonly string[];
  /**
   * For development: in place of these, each witness that signs with a key of this node, whenever it comes to be one.
   */
  readonly everyWitness?: boolean | undefined;
  /** Secrets, 32 bytes each. They are passed only to the writer. */
  readonly secrets: readonly Uint8Array[];
  readonly allowStale: boolean;
  /** The share of slots that must be filled, in hundredths of a percent; what is safe on the chain unless said. */
  readonly requiredParticipation: number | undefined;
  /** The operator knows that so low a share may split the chain. */
  readonly acceptsLowParticipation?: boolean | undefined;
  /** For development: time continues from the head block and can be moved by debug commands. */
  readonly ownTime: boolean;
  /** For development: what was between the head and this start never was, however long. */
  readonly goesOnFromHead?: boolean | undefined;
  /** For development: a block every this many milliseconds, whatever the chain's interval is. */
  readonly everyMs: number | undefined;
  /** For development: when blocks are made; in their slots unless said. */
  readonly mining?: Mining | undefined;
  /** The file that says what was signed; none on a chain that owns its time. */
  readonly signingJournal?: string | undefined;
  /** The socket of a process that holds keys and journal, and signs in place of this one. */
  readonly signerSocket?: string | undefined;
  /** The standbys, and the witness to stand by for; undefined for none. */
  readonly standby?: StandbySettings | undefined;
  /** True when the node has peers. */
  readonly hasPeers?: boolean | undefined;
  /** True when it has a peer to dial. */
  readonly hasSeeds?: boolean | undefined;
}
