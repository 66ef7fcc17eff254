import { Fault } from '../../base/fault.ts';
import { decodeWif } from '../../crypto/wif.ts';
import type { P2pSettings } from '../network/network_messages.ts';
import { signingKeysIn } from '../signing_keys.ts';
import type { ProductionSettings } from '../threads/messages.ts';
import type { OptionValues } from './options.ts';
import { besideDataDir, standbySettingsOf } from './standby_settings.ts';

const FULL_PARTICIPATION_PERCENT = 100;

/** Whose blocks are made, with which keys; undefined when nobody's. Asks for the password of key files where nothing says it. Throws Fault `configuration`. */
export async function productionSettingsOf(values: OptionValues, p2p: P2pSettings | undefined): Promise<ProductionSettings | undefined> {
  const { 'standby-for': standbyFor } = values;
  const witnesses = [...(values.witness ?? []), ...(standbyFor === undefined ? [] : [standbyFor])];
  // A private net's only past slots are those since its built-in genesis, all of them missed.
  const isPrivateNet = values['initminer-mining-pubkey'] !== undefined;
  const percent = values['required-participation'] ?? (isPrivateNet ? 0 : undefined);
  if (percent !== undefined && percent > FULL_PARTICIPATION_PERCENT)
    fail(`required-participation: 0 to 100 percent expected, got ${percent}`);
  const said = (values['private-key'] ?? []).map(
    (wif, index) => decodeWif(wif) ?? fail(`private-key: the ${index + 1}. value is not a WIF key`),
  );
  const filed = await signingKeysIn(values['private-key-file'] ?? [], values['private-key-password-file']);
  const secrets = [...said, ...filed];
  const signerSocket = values['signer-socket'];
  if (signerSocket !== undefined && secrets.length > 0)
    fail('signer-socket: the signer holds the keys; leave out private-key and private-key-file');
  // Keys without a witness are a mistake that production reports.
  if (witnesses.length === 0 && secrets.length === 0) return undefined;
  return {
    witnesses,
    secrets,
    allowStale: values['enable-stale-production'] === true,
    requiredParticipation: percent === undefined ? undefined : percent * 100,
    acceptsLowParticipation: isPrivateNet || values['accept-low-participation'] === true,
    ownTime: false,
    everyMs: undefined,
    hasPeers: p2p !== undefined,
    hasSeeds: p2p !== undefined && p2p.seeds.length > 0,
    signerSocket,
    standby: standbySettingsOf(values, p2p?.seeds),
    signingJournal: values['signing-journal'] ?? besideDataDir(values, '.signed'),
  };
}

function fail(message: string): never {
  throw new Fault('configuration', message);
}
