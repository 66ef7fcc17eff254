import { existsSync, readFileSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { Refusal } from '../../base/refusal.ts';
import { decodeWif, encodeWif } from '../../crypto/wif.ts';
import { askHidden } from '../../wallet/hidden_input.ts';
import { parseKeyFile } from '../../wallet/key_file/read_key_file.ts';
import { newLock } from '../../wallet/key_file/sealed_file.ts';
import { writeWholeFile } from '../../system/whole_file.ts';
import { requireOwnersOnly } from '../../system/owners_only.ts';
import { passwordFileAdvice, passwordLine } from '../../system/password_line.ts';
import { onDisk } from '../../system/system_error.ts';

const FOR_OWNER = 0o600;

/** The sources of a password besides a file. */
export interface OtherSources {
  /** The setting that would give it, for the error about its absence. */
  readonly setting: string;
  /** As the environment says it. */
  readonly password?: string | undefined;
}

const NODES_SOURCES: OtherSources = { setting: 'private-key-password-file' };

/**
 * The secrets in key files: each a WIF, or a file that is encrypted as a wallet is. Fault `configuration`, which names
 * the setting that would give the password.
 */
export async function readSigningKeys(
  paths: readonly string[],
  passwordFile: string | undefined,
  others: OtherSources = NODES_SOURCES,
): Promise<Uint8Array[]> {
  const secrets: Uint8Array[] = [];
  for (const path of paths) secrets.push(...(await keysInFile(path, passwordFile, others)));
  return secrets;
}

/**
 * Writes a secret into a file of its own, encrypted where a password is given. Fault `configuration` when there is one
 * already.
 */
export async function writeKeyFile(path: string, secret: Uint8Array, passwordFile: string | undefined): Promise<void> {
  if (existsSync(path)) throw new Fault('configuration', `${path} is there already; a key file is never overwritten`);
  const text = passwordFile === undefined ? `${encodeWif(secret)}\n` : await sealed(secret, readPassword(passwordFile));
  writeWholeFile(path, text, FOR_OWNER);
}

async function sealed(secret: Uint8Array, password: string): Promise<string> {
  const lock = await newLock(password);
  const text = lock.close({ chain: undefined, server: '' }, [secret]);
  lock.wipe();
  return text;
}

async function keysInFile(
  path: string,
  passwordFile: string | undefined,
  others: OtherSources,
): Promise<readonly Uint8Array[]> {
  requireOwnersOnly(path);
  const text = readText(path);
  if (!text.trimStart().startsWith('{')) {
    const secret = decodeWif(text.trim());
    return secret === undefined
      ? fail(`${path}: a WIF key, or a file that pharos keys --key-file has written, expected`)
      : [secret];
  }
  try {
    const { secrets, lock } = await parseKeyFile(text).open(await askPassword(path, passwordFile, others));
    lock.wipe();
    return secrets;
  } catch (error) {
    if (error instanceof Refusal || (error instanceof Fault && error.code === 'damaged_data'))
      return fail(
        `${path}: ${error.message}${passwordFile === undefined ? '' : passwordFileAdvice(error, passwordFile)}`,
      );
    throw error;
  }
}

async function askPassword(
  path: string,
  passwordFile: string | undefined,
  { setting, password }: OtherSources,
): Promise<string> {
  if (passwordFile !== undefined) return readPassword(passwordFile);
  if (password !== undefined) return password;
  if (!process.stdin.isTTY) return fail(`${path} is encrypted: name a file with its password by ${setting}`);
  return await askHidden(`password of ${path}: `, process.stdin, process.stderr);
}

function readPassword(path: string): string {
  requireOwnersOnly(path);
  return passwordLine(path);
}

function readText(path: string): string {
  return onDisk(`cannot read ${path}`, () => readFileSync(path, 'utf8'));
}

function fail(message: string): never {
  throw new Fault('configuration', message);
}
