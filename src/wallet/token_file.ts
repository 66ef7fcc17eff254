import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { errorMessage } from '../base/error_message.ts';
import { Fault } from '../base/fault.ts';
import { randomBytes } from '../crypto/random.ts';

const TOKEN_BYTES = 32;
const OTHERS = 0o077;

/**
 * The token that calls of the wallet's RPC have to show: the one in the file, or a new one in a new file, for its owner
 * only. Throws Fault.
 */
export function readToken(path: string): string {
  return existingToken(path) ?? newToken(path);
}

function existingToken(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if ((found.mode & OTHERS) !== 0)
    fail(`${path} holds the token of the wallet's RPC and can be read by others; chmod 600 it, or delete it`);
  const token = readText(path).trim();
  return /^[0-9a-f]{64}$/.test(token)
    ? token
    : fail(`${path} holds no token of 64 hex digits; delete it, and a new one is made`);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Fault('configuration', `cannot read ${path}: ${errorMessage(cause)}`, cause);
  }
}

function newToken(path: string): string {
  const token = Buffer.from(randomBytes(TOKEN_BYTES)).toString('hex');
  try {
    writeFileSync(path, `${token}\n`, { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    throw new Fault('configuration', `cannot write ${path}: ${errorMessage(cause)}`, cause);
  }
  return token;
}

function fail(message: string): never {
  throw new Fault('configuration', message);
}
