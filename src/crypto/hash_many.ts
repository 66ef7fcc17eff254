import { assert } from '../base/assert.ts';
import { sha256 } from './hashes.ts';
import { cryptoModule, type CryptoModule } from './wasm.ts';

const DIGEST_BYTES = 32;
/** Of a message before its bytes. */
const LENGTH_BYTES = 2;
/** The number of lanes. Node's hash is faster for fewer messages. */
const FEWEST = 4;

/**
 * SHA-256 of each message: 32 bytes each, one behind the other. Many short ones cost a quarter to a half of
 * `sha256` one by one (bench/tried.md).
 */
export function sha256Many(messages: readonly Uint8Array[]): Uint8Array {
  const digests = new Uint8Array(messages.length * DIGEST_BYTES);
  const module = cryptoModule();
  for (let from = 0; from < messages.length;) {
    const count = loadMessages(module, messages, from);
    if (count < FEWEST) {
      digests.set(sha256(message(messages, from)), from * DIGEST_BYTES);
      from++;
      continue;
    }
    module.hashTexts(count);
    digests.set(module.digests.subarray(0, count * DIGEST_BYTES), from * DIGEST_BYTES);
    from += count;
  }
  return digests;
}

/** Copies messages from that index on as far as there is room; returns how many. */
function loadMessages({ hashed, maxItems }: CryptoModule, messages: readonly Uint8Array[], from: number): number {
  const most = Math.min(maxItems, messages.length - from);
  let at = 0;
  for (let count = 0; count < most; count++) {
    const bytes = message(messages, from + count);
    if (at + LENGTH_BYTES + bytes.length > hashed.length) return count;
    hashed[at] = bytes.length & 255;
    hashed[at + 1] = bytes.length >> 8;
    hashed.set(bytes, at + LENGTH_BYTES);
    at += LENGTH_BYTES + bytes.length;
  }
  return most;
}

function message(messages: readonly Uint8Array[], index: number): Uint8Array {
  const found = messages[index];
  assert(found !== undefined, `message ${index}`);
  return found;
}

/** SHA-256 of each piece of `length` bytes behind a byte that tells the kind: 32 bytes each, one behind the other. */
export function sha256Pieces(kind: number, pieces: Uint8Array, length: number): Uint8Array {
  const count = pieces.length / length;
  assert(Number.isInteger(count), `pieces of ${length} bytes`);
  const { hashed, digests, maxItems, hashPieces } = cryptoModule();
  const results = new Uint8Array(count * DIGEST_BYTES);
  const most = Math.min(maxItems, Math.trunc(hashed.length / length));
  for (let from = 0; from < count; from += most) {
    const some = Math.min(most, count - from);
    hashed.set(pieces.subarray(from * length, (from + some) * length));
    hashPieces(some, length, kind);
    results.set(digests.subarray(0, some * DIGEST_BYTES), from * DIGEST_BYTES);
  }
  return results;
}
