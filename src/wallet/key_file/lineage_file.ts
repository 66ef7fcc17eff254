import type { Json } from '../../codec/json.ts';
import { sha512 } from '../../crypto/hashes.ts';
import { derivePublicKey } from '../../crypto/keys.ts';
import { decryptBytes, encryptBytes, packBytes, unpackBytes } from '../../crypto/memo_cipher.ts';
import { decodeWif, encodeWif } from '../../crypto/wif.ts';
import { prettyJson } from '../pretty_json.ts';
import { damaged, refusePassword, type ClosedFile, type Lock, type Opened } from './contents.ts';

// The lineage's wallet.json (wallet.md#wallet-file-of-the-ancestor): AES-256-CBC with sha512 of the password as key,
// without salt or iterations. The format is kept, so that users can go back to the lineage's wallet, until they convert
// the file.

const CHECK_BYTES = 64;
const KEY_BYTES = 33;
/** A file with 100 000 keys has 9 MB. */
const LARGEST_COUNT = 100_000;

interface Members {
  readonly cipher_keys: string;
  readonly ws_server: string;
}

/** True when a JSON value is a wallet of the lineage. */
export function isLineageFile(json: Json): boolean {
  return typeof json === 'object' && json !== null && !Array.isArray(json) && typeof json['cipher_keys'] === 'string';
}

/** Reads a wallet of the lineage; one with `cipher_keys` '' is new. Throws Fault `damaged_data`. */
export function readLineageFile(json: Json): ClosedFile {
  const { cipher_keys, ws_server } = requireMembers(json);
  const isWhole = /^(?:[0-9a-f]{32})*$/i.test(cipher_keys);
  if (!isWhole) damaged('cipher_keys is not hex of whole cipher blocks');
  return {
    format: 'lineage',
    isNew: cipher_keys === '',
    chain: undefined,
    server: ws_server,
    open: (password) => Promise.resolve().then(() => open(Buffer.from(cipher_keys, 'hex'), password)),
  };
}

function requireMembers(json: Json): Members {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return damaged('it is no object');
  const { cipher_keys, ws_server } = json;
  return {
    cipher_keys: typeof cipher_keys === 'string' ? cipher_keys : '',
    ws_server: typeof ws_server === 'string' ? ws_server : '',
  };
}

function open(cipherKeys: Uint8Array, password: string): Opened {
  if (password === '') refusePassword.empty_password();
  const key = sha512(Buffer.from(password, 'utf8'));
  const plain = decryptBytes(key, cipherKeys);
  if (plain === undefined || Buffer.compare(plain.subarray(0, CHECK_BYTES), key) !== 0)
    return refusePassword.wrong_password();
  const secrets = readKeys(plain);
  plain.fill(0);
  return { lock: lineageLock(key), secrets };
}

function readKeys(plain: Uint8Array): Uint8Array[] {
  const secrets: Uint8Array[] = [];
  let { count, at } = readCount(plain);
  for (; count > 0; count--) {
    const wif = unpackBytes(plain, at + KEY_BYTES) ?? damaged('its list of keys breaks off');
    const secret = decodeWif(Buffer.from(wif.data).toString('latin1')) ?? damaged('it holds a text that is no key');
    secrets.push(secret);
    at = wif.end;
  }
  return secrets;
}

function readCount(plain: Uint8Array): { count: number; at: number } {
  let count = 0;
  let at = CHECK_BYTES;
  for (let shift = 0; ; shift += 7) {
    const byte = plain[at++];
    if (byte === undefined || shift > 28) return damaged('its number of keys breaks off');
    count += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  return count > LARGEST_COUNT ? damaged(`it claims to hold ${count} keys`) : { count, at };
}

/** The lock for a new password, for a file that stays in the lineage's format. */
export function newLineageLock(password: string): Lock {
  if (password === '') refusePassword.empty_password();
  return lineageLock(sha512(Buffer.from(password, 'utf8')));
}

function lineageLock(key: Uint8Array): Lock {
  return {
    close({ server }, secrets) {
      const plain = Buffer.concat([key, varint(secrets.length), ...secrets.map(packedPair)]);
      const cipher_keys = Buffer.from(encryptBytes(key, plain)).toString('hex');
      plain.fill(0);
      return prettyJson({ cipher_keys, ws_server: server, ws_user: '', ws_password: '' });
    },
    wipe: () => void key.fill(0),
  };
}

function packedPair(secret: Uint8Array): Uint8Array {
  const key = derivePublicKey(secret) ?? damaged('it holds a number that is no key');
  return Buffer.concat([key, packBytes(Buffer.from(encodeWif(secret), 'latin1'))]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
