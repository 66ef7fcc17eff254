import { Fault } from '../../base/fault.ts';
import { Refusal } from '../../base/refusal.ts';
import type { ValueOf } from '../../codec/codec.ts';
import { optional } from '../../codec/collections.ts';
import type { Json } from '../../codec/json.ts';
import { writeJson } from '../../codec/json_writer.ts';
import { neutralEncoding } from '../../codec/encoding_options.ts';
import { hexBytes, text, u32 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { sha256 } from '../../crypto/hashes.ts';
import { keyOfPassword, NONCE_BYTES, SALT_BYTES, seal, unseal, type ScryptCost } from '../../crypto/password_box.ts';
import { randomBytes } from '../../crypto/random.ts';
import { digest } from '../../values/hash.ts';
import { prettyJson } from '../pretty_json.ts';
import { damaged, refusePassword, type BoundChain, type ClosedFile, type Lock, type Opened } from './contents.ts';

/** Identifies the file format. */
const FORMAT = 'pharos-wallet';
const VERSION = 1;
const KDF = 'scrypt';
const CIPHER = 'aes-256-gcm';
const SECRET_BYTES = 32;

/** 128 MiB and about half a second per attempt (OWASP recommendation of 2023 for scrypt). */
export const DEFAULT_COST: ScryptCost = { n: 2 ** 17, r: 8, p: 1 };
/** The most that a file may request: a damaged one must not use up the machine's memory. */
const LARGEST_MEMORY_BYTES = 2 ** 30;
const LARGEST_P = 16;

const head = {
  format: text,
  version: u32,
  chain: optional(struct({ id: digest, coin_symbol: text, vests_symbol: text, key_prefix: text, word: text })),
  server: text,
  kdf: struct({ name: text, n: u32, r: u32, p: u32, salt: hexBytes }),
  cipher: struct({ name: text, nonce: hexBytes }),
} as const;

/** The part that is authenticated but not encrypted. */
const openPart = struct(head);
/** The file without and with its checksum, which tells a corrupted file from a wrong password. */
const sealedPart = struct({ ...head, sealed: hexBytes });
const whole = struct({ ...head, sealed: hexBytes, checksum: digest });

type OpenPart = ValueOf<typeof openPart>;

/** Nothing in the file depends on the symbols of a chain. */

/** True when a JSON value declares itself a file of this format, in any version. */
export function isSealedFile(json: Json): boolean {
  return typeof json === 'object' && json !== null && !Array.isArray(json) && json['format'] === FORMAT;
}

/** Reads a file of this format. Throws Fault: `damaged_data`, or `configuration` for a newer version. */
export function readSealedFile(json: Json): ClosedFile {
  const version = typeof json === 'object' && json !== null && !Array.isArray(json) ? json['version'] : undefined;
  if (typeof version === 'number' && version > VERSION)
    throw new Fault(
      'configuration',
      `the wallet file has version ${version}, this program reads version ${VERSION}: use the newer program that wrote it`,
    );
  const file = readWhole(json);
  if (sha256Hex(sealedPart.toJson(file, neutralEncoding)) !== file.checksum) damaged('its checksum does not fit');
  requireKnown(file);
  return {
    format: 'pharos',
    isNew: false,
    chain: boundChain(file),
    server: file.server,
    open: (password) => open(file, password),
  };
}

function readWhole(json: Json): ValueOf<typeof whole> {
  try {
    return whole.fromJson(json, neutralEncoding);
  } catch (error) {
    if (error instanceof Refusal) damaged(error.message);
    throw error;
  }
}

function requireKnown({ version, kdf, cipher }: OpenPart): void {
  const { n, r, p } = kdf;
  if (version !== VERSION) damaged(`there is no version ${version}`);
  if (kdf.name !== KDF || cipher.name !== CIPHER) damaged(`${kdf.name} with ${cipher.name} is unknown`);
  const isPowerOfTwo = n > 1 && Number.isInteger(Math.log2(n));
  if (!isPowerOfTwo || r < 1 || p < 1 || p > LARGEST_P || 128 * n * r > LARGEST_MEMORY_BYTES)
    damaged('its scrypt parameters are out of range');
  if (kdf.salt.length < SALT_BYTES || cipher.nonce.length !== NONCE_BYTES * 2)
    damaged('salt or nonce have a wrong length');
}

function boundChain({ chain }: OpenPart): BoundChain | undefined {
  if (chain === undefined) return undefined;
  const symbols = {
    coinSymbol: chain.coin_symbol,
    vestsSymbol: chain.vests_symbol,
    keyPrefix: chain.key_prefix,
    coinName: chain.word,
  };
  return { id: chain.id, symbols };
}

async function open(file: ValueOf<typeof whole>, password: string): Promise<Opened> {
  if (password === '') refusePassword.empty_password();
  const key = await keyOfPassword(password, Buffer.from(file.kdf.salt, 'hex'), file.kdf);
  const plain = unseal(
    key,
    Buffer.from(file.cipher.nonce, 'hex'),
    Buffer.from(file.sealed, 'hex'),
    protectedBytes(file),
  );
  if (plain === undefined) return refusePassword.wrong_password();
  if (plain.length % SECRET_BYTES !== 0) damaged('its keys have a wrong length');
  const secrets = Array.from({ length: plain.length / SECRET_BYTES }, (_, k) =>
    Uint8Array.from(plain.subarray(k * SECRET_BYTES, (k + 1) * SECRET_BYTES)),
  );
  plain.fill(0);
  return { lock: makeLock(key, file.kdf.salt, file.kdf), secrets };
}

/** The lock for a new password. */
export async function newLock(password: string, cost: ScryptCost = DEFAULT_COST): Promise<Lock> {
  if (password === '') refusePassword.empty_password();
  const salt = randomBytes(SALT_BYTES);
  return makeLock(await keyOfPassword(password, salt, cost), Buffer.from(salt).toString('hex'), cost);
}

function makeLock(key: Uint8Array, salt: string, { n, r, p }: ScryptCost): Lock {
  return {
    close({ chain, server }, secrets) {
      const nonce = randomBytes(NONCE_BYTES);
      const part: OpenPart = {
        format: FORMAT,
        version: VERSION,
        chain: chain && {
          id: chain.id,
          coin_symbol: chain.symbols.coinSymbol,
          vests_symbol: chain.symbols.vestsSymbol,
          key_prefix: chain.symbols.keyPrefix,
          word: chain.symbols.coinName,
        },
        server,
        kdf: { name: KDF, n, r, p, salt },
        cipher: { name: CIPHER, nonce: Buffer.from(nonce).toString('hex') },
      };
      const plain = Buffer.concat(secrets);
      const sealed = Buffer.from(seal(key, nonce, plain, protectedBytes(part))).toString('hex');
      plain.fill(0);
      const file = { ...part, sealed };
      return `${prettyJson(whole.toJson({ ...file, checksum: sha256Hex(sealedPart.toJson(file, neutralEncoding)) }, neutralEncoding))}\n`;
    },
    wipe: () => void key.fill(0),
  };
}

function protectedBytes(part: OpenPart): Uint8Array {
  return Buffer.from(writeJson(openPart.toJson(part, neutralEncoding)), 'utf8');
}

function sha256Hex(json: Json): string {
  return Buffer.from(sha256(Buffer.from(writeJson(json), 'utf8'))).toString('hex');
}
