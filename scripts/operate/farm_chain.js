import { spawn } from 'node:child_process';
import { createPrivateKey, createPublicKey, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inProject } from '../place.js';

/** The beginning of an Ed25519 key in PKCS #8; 32 bytes of secret follow. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The id by which peers know the node whose key lies in that file, which is made where there is none. */
export function peerId(file) {
  if (!existsSync(file)) writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  const secret = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, secret]), format: 'der', type: 'pkcs8' });
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
}

/**
 * Which chain: as it was said, or a private net with a key of its own. The flags of all nodes, and those of the one
 * that writes.
 */
export async function prepareChain({ 'genesis-json': genesis, config, folder }) {
  if (genesis !== undefined)
    return { all: ['--genesis-json', resolve(genesis)], writers: ['--config', resolve(config)] };
  const file = join(folder, 'private_net_keys.json');
  if (!existsSync(file)) writeFileSync(file, JSON.stringify(await newKeys()), { mode: 0o600 });
  const { pub_key, wif_priv_key } = JSON.parse(readFileSync(file, 'utf8'));
  const settings = join(folder, 'writer.ini');
  writeFileSync(settings, `witness = initminer\nprivate-key = ${wif_priv_key}\nenable-stale-production = true\n`, {
    mode: 0o600,
  });
  return { all: ['--initminer-mining-pubkey', pub_key], writers: ['--config', settings] };
}

async function newKeys() {
  const child = spawn(process.execPath, [inProject('scripts/pharos.js'), 'keys'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  for await (const part of child.stdout) said += part;
  return JSON.parse(said);
}
