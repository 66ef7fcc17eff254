import { randomFillSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { assert } from '../base/assert.ts';
import { Fault } from '../base/fault.ts';

type Call = (...numbers: number[]) => number;

/**
 * The module built from native/, one instance per thread. Functions work on the buffers below; every call overwrites
 * them.
 */
export interface CryptoModule {
  /** Number of items that fit into the buffers; callers split longer lists. */
  readonly maxItems: number;
  /** maxItems × 32 bytes. */
  readonly digests: Uint8Array;
  /** maxItems × 65 bytes. */
  readonly signatures: Uint8Array;
  /** maxItems × 33 bytes. */
  readonly keys: Uint8Array;
  /** maxItems × 1 byte. */
  readonly verdicts: Uint8Array;
  /** maxItems × 1; the index of each item's expected key. */
  readonly expected: Uint16Array;
  /** maxItems × 33 bytes; the distinct expected keys. */
  readonly expectedKeys: Uint8Array;
  /** maxItems × 16 bytes; random, fresh for every found. */
  readonly multipliers: Uint8Array;
  /** Messages that are hashed together (native/hash_many.h). */
  readonly hashed: Uint8Array;
  /** Names and texts from which keys are derived (native/derive.h). */
  readonly texts: Buffer;
  /** 4 × (a length and 16 bytes). */
  readonly roles: Uint8Array;
  /** The ends of the derived keys, as many as one call can derive. */
  readonly keyEnds: Uint32Array;
  /** maxItems × 32 bytes; set and wiped only by sign_many.ts. */
  readonly itemSecrets: Uint8Array;
  /** 32 bytes; set and wiped only by `withSecret`. */
  readonly secret: Uint8Array;
  readonly publicKey: Call;
  readonly isPoint: Call;
  readonly sharedX: Call;
  readonly signAttempt: Call;
  readonly wipeSecrets: Call;
  readonly verify: Call;
  readonly recoverKeys: Call;
  readonly prove: Call;
  readonly proveByTables: Call;
  readonly deriveKeys: Call;
  readonly deriveSecrets: Call;
  readonly hashTexts: Call;
  readonly hashPieces: Call;
  readonly signMany: Call;
  readonly wipeItemSecrets: Call;
}

function isCall(value: unknown): value is Call {
  return typeof value === 'function';
}

/** Compiles and initializes the module built by scripts/build_wasm.js; throws Fault if it is missing. */
function instantiate(): CryptoModule {
  // From build/src/crypto/ to build/.
  const path = new URL('../../pharos_crypto.wasm', import.meta.url);
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw new Fault('runtime', `${path.pathname} is missing; run scripts/build_wasm.js`, cause);
  }
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  return bind(exports);
}

function bind(exports: WebAssembly.Exports): CryptoModule {
  const call = (name: string): Call => {
    const found: unknown = exports[name];
    assert(isCall(found), `the crypto module exports ${name}`);
    return found;
  };
  const { memory } = exports;
  assert(memory instanceof WebAssembly.Memory, 'the crypto module exports its memory');
  // The memory is static and never grows, so these views stay valid.
  const view = (name: string, size: number): Uint8Array => new Uint8Array(memory.buffer, call(name)(), size);
  assert(call('points_end')() <= memory.buffer.byteLength, 'the points fit behind the module’s other data');
  const maxItems = call('max_items')();
  const secret = view('secret', 32);
  randomFillSync(secret);
  call('setup')();
  const wipeSecrets = call('wipe_secrets');
  wipeSecrets();
  return {
    maxItems,
    digests: view('digests', maxItems * 32),
    signatures: view('signatures', maxItems * 65),
    keys: view('keys', maxItems * 33),
    verdicts: view('verdicts', maxItems),
    expected: new Uint16Array(memory.buffer, call('expected')(), maxItems),
    expectedKeys: view('expected_keys', maxItems * 33),
    multipliers: view('multipliers', maxItems * 16),
    hashed: view('hashed', call('hashed_bytes')()),
    texts: Buffer.from(memory.buffer, call('texts')(), call('text_bytes')()),
    roles: view('roles', 4 * 17),
    keyEnds: new Uint32Array(memory.buffer, call('key_ends')(), call('max_derived')()),
    itemSecrets: view('item_secrets', maxItems * 32),
    secret,
    publicKey: call('public_key'),
    isPoint: call('is_point'),
    sharedX: call('shared_x'),
    signAttempt: call('sign_attempt'),
    wipeSecrets,
    verify: call('verify'),
    recoverKeys: call('recover_keys'),
    prove: call('prove'),
    proveByTables: call('prove_by_tables'),
    deriveKeys: call('derive_keys'),
    deriveSecrets: call('derive_secrets'),
    hashTexts: call('hash_texts'),
    hashPieces: call('hash_pieces'),
    signMany: call('sign_many'),
    wipeItemSecrets: call('wipe_item_secrets'),
  };
}

let instance: CryptoModule | undefined;

/** The instance of this thread, created by the first call (about 5 ms). */
export function cryptoModule(): CryptoModule {
  instance ??= instantiate();
  return instance;
}

/** Runs `use` with a private key in the module's memory and wipes it afterwards. */
export function withSecret<T>(secret: Uint8Array, use: (module: CryptoModule) => T): T {
  assert(secret.length === 32, 'a private key has 32 bytes');
  const module = cryptoModule();
  module.secret.set(secret);
  try {
    return use(module);
  } finally {
    module.wipeSecrets();
  }
}
