import type { Clock } from '../base/clock.ts';
import { refusals } from '../base/refusal.ts';
import type { ScryptCost } from '../crypto/password_box.ts';
import { derivePublicKey } from '../crypto/keys.ts';
import type { Digest } from '../values/hash.ts';
import { compareKeys, type PublicKey } from '../values/public_key.ts';
import { newLineageLock } from './key_file/lineage_file.ts';
import {
  damaged,
  type BoundChain,
  type ClosedFile,
  type Lock,
  type OpenContents,
  type Opened,
} from './key_file/contents.ts';
import { isWalletFile, parseKeyFile, readKeyFile, readText } from './key_file/read_key_file.ts';
import { replaceFile } from './key_file/replace_file.ts';
import { DEFAULT_COST, newLock } from './key_file/sealed_file.ts';
import { plainKeyRefusals } from './key_file/wif_file.ts';

const refuse = refusals({
  wallet_locked: {
    text: 'the wallet is locked; unlock it first',
    lineage: '!is_locked(): the wallet is locked; unlock it first',
  },
  wallet_new: {
    text: 'there are no keys in {path} yet: set_password comes first, and makes a wallet there; --wallet-file names another one',
    lineage: '!is_locked(): the wallet has no password yet; set_password comes first',
  },
  password_locked: {
    text: 'the wallet is locked; unlock it before setting another password',
    lineage: 'The wallet must be unlocked before the password can be set',
  },
  key_not_in_wallet: {
    text: 'the wallet has no private key for {key}; import_key adds one',
    lineage: 'has_key: the wallet has no private key for {key}',
  },
  invalid_private_key: {
    text: 'the private key is 0 or not below the order of the curve',
    lineage: 'Invalid private key',
  },
  wallet_changed:
    'the wallet file was changed by another program since it was read; nothing was written, and load_wallet_file "" and unlock read it again',
  file_is_no_wallet: 'the file {path} is no wallet, and is not replaced by one: name another file',
  not_a_lineage_file: 'the wallet file is in the format of this program already',
});

const { wallet_locked, wallet_new } = refuse.texts;
/** The refusals while the wallet is locked, or new. */
export const lockedRefusals = { wallet_locked, wallet_new };
/** Further refusals of the file of the keys. */
export const keyStoreRefusals = { ...refuse.texts, ...plainKeyRefusals };

/** `new` has no password yet, `locked` waits for its password. */
export type KeyStoreState = 'new' | 'locked' | 'unlocked';

export interface KeyStoreOptions {
  readonly path: string;
  readonly clock: Clock;
  /** Locks itself after this time without use; 0 means never. */
  readonly lockAfterMs: number;
  readonly cost?: ScryptCost;
  /** Says that systemd has given a file to this process alone, whatever its mode. */
  readonly isCredential?: ((path: string) => boolean) | undefined;
  /** Called when the store has locked itself. */
  readonly onIdleLock?: () => void;
}

interface Open {
  readonly lock: Lock;
  readonly secrets: Map<PublicKey, Uint8Array>;
}

/**
 * The private keys of a wallet and the file that holds them. Every change is on disk when its method returns or its
 * promise resolves.
 */
export class KeyStore {
  readonly #options: KeyStoreOptions;
  #path: string;
  #text: string | undefined;
  #file: ClosedFile | undefined;
  #contents: OpenContents = { chain: undefined, server: '' };
  #open: Open | undefined;
  #lastUseMs = 0;
  #stopIdling: () => void = () => {};

  /** Reads the file if there is one. Throws Fault. */
  constructor(options: KeyStoreOptions) {
    this.#options = options;
    this.#path = options.path;
    this.load('');
  }

  get state(): KeyStoreState {
    if (this.#open !== undefined) return 'unlocked';
    return this.#file === undefined || this.#file.isNew ? 'new' : 'locked';
  }

  get path(): string {
    return this.#path;
  }

  get chain(): BoundChain | undefined {
    return this.#contents.chain;
  }

  /** URL of the node in the file; '' when there is none. */
  get server(): string {
    return this.#contents.server;
  }

  /** True when the file is in the lineage's format, whose encryption is weak. */
  get isLineageFile(): boolean {
    return this.#file?.format === 'lineage';
  }

  /** True when the file holds one private key as text, which no password protects and nothing changes. */
  get isPlainKey(): boolean {
    return this.#file?.format === 'wif';
  }

  /**
   * Reads another file, '' for the same one again, and locks. False when it doesn't exist; then nothing has changed.
   */
  load(path: string): boolean {
    const target = path === '' ? this.#path : path;
    const found = readKeyFile(target, this.#options.isCredential);
    if (found === undefined) return false;
    this.#forget();
    this.#path = target;
    this.#text = found.text;
    this.#file = found.file;
    this.#contents = { chain: found.file.chain, server: found.file.server };
    if (found.file.unprotected !== undefined) this.#take(found.file.unprotected());
    return true;
  }

  /** Sets the password of a new wallet, or changes that of an unlocked one; the wallet is locked afterwards. */
  async setPassword(password: string): Promise<void> {
    if (this.state === 'locked') refuse.password_locked();
    if (this.isPlainKey) this.#open?.lock.close(this.#contents, []);
    const staysLineage = this.isLineageFile && this.#open !== undefined;
    const lock = staysLineage ? newLineageLock(password) : await newLock(password, this.#options.cost ?? DEFAULT_COST);
    this.#write(lock.close(this.#contents, this.#secrets()));
    lock.wipe();
    this.#forget();
  }

  async unlock(password: string): Promise<void> {
    if (this.#file === undefined || this.#file.isNew) return refuse.wallet_new({ path: this.#path });
    const opened = await this.#file.open(password);
    this.#forget();
    this.#take(opened);
    this.touch();
  }

  #take({ lock, secrets }: Opened): void {
    this.#open = {
      lock,
      secrets: new Map(
        secrets.map((secret) => [publicKeyText(secret) ?? damaged('it holds a number that is no key'), secret]),
      ),
    };
  }

  lock(): void {
    if (this.#open === undefined) refuse.wallet_locked();
    this.#forget();
  }

  /** Forgets all keys, in any state. */
  close(): void {
    this.#forget();
  }

  /** Refuses unless unlocked, and counts as use. */
  requireUnlocked(): void {
    this.#requireOpen();
    this.touch();
  }

  /** Puts off the idle lock. */
  touch(): void {
    this.#lastUseMs = this.#options.clock.nowMs();
    this.#stopIdling();
    // Whoever can read the file has its key without the wallet.
    if (this.#open !== undefined && this.#options.lockAfterMs > 0 && !this.isPlainKey)
      this.#idle(this.#options.lockAfterMs);
  }

  /** Adds private keys and writes the file; refuses an invalid key. Returns the public keys, in the given order. */
  importSecrets(secrets: readonly Uint8Array[]): PublicKey[] {
    const open = this.#requireOpen();
    const added = secrets.map((secret) => [publicKeyText(secret) ?? refuse.invalid_private_key(), secret] as const);
    const all = new Map([...open.secrets, ...added]);
    this.#write(open.lock.close(this.#contents, inOrder(all)));
    this.#open = { lock: open.lock, secrets: all };
    return added.map(([key]) => key);
  }

  /** All keys with their secrets, in ascending order; empty unless unlocked. */
  keys(): [PublicKey, Uint8Array][] {
    return [...(this.#open?.secrets ?? [])].sort(([a], [b]) => compareKeys(a, b));
  }

  has(key: PublicKey): boolean {
    return this.#open?.secrets.has(key) === true;
  }

  /** The secret of a key; refused when the wallet has none, or is locked. `shown` is the key's text. */
  secretOf(key: PublicKey, shown: string): Uint8Array {
    return this.#open?.secrets.get(key) ?? refuse.key_not_in_wallet({ key: shown });
  }

  /** Writes the file, or a copy with another name. */
  save(path: string): void {
    if (path !== '' && path !== this.#path) requireWallet(path);
    if (this.#open !== undefined) {
      const text = this.#open.lock.close(this.#contents, this.#secrets());
      return path === '' || path === this.#path ? this.#write(text) : replaceFile(path, text);
    }
    if (this.#text === undefined) return refuse.wallet_new({ path: this.#path });
    if (path !== '' && path !== this.#path) replaceFile(path, this.#text);
  }

  /**
   * Writes an unlocked wallet of the lineage in this program's format; refuses a password other than the file's.
   * Returns where the old file is kept.
   */
  async convert(password: string): Promise<string> {
    const open = this.#requireOpen();
    if (this.isPlainKey) open.lock.close(this.#contents, []);
    if (this.#file?.format !== 'lineage') return refuse.not_a_lineage_file();
    const check = await this.#file.open(password);
    check.lock.wipe();
    for (const secret of check.secrets) secret.fill(0);
    const lock = await newLock(password, this.#options.cost ?? DEFAULT_COST);
    const backup = this.#keepCopy();
    this.#write(lock.close(this.#contents, this.#secrets()));
    open.lock.wipe();
    this.#open = { lock, secrets: open.secrets };
    return backup;
  }

  /** Records which chain the wallet signs for; also in the file, if it can be written. */
  bind(chain: BoundChain): void {
    this.#contents = { ...this.#contents, chain };
    if (this.#open !== undefined && !this.isLineageFile && !this.isPlainKey) this.save('');
  }

  /** The id of the chain that the wallet signs for, if known. */
  get chainId(): Digest | undefined {
    return this.#contents.chain?.id;
  }

  #requireOpen(): Open {
    return this.#open ?? (this.state === 'new' ? refuse.wallet_new({ path: this.#path }) : refuse.wallet_locked());
  }

  #secrets(): Uint8Array[] {
    return inOrder(this.#open?.secrets ?? new Map<PublicKey, Uint8Array>());
  }

  /** Replaces the file, unless another program has changed it meanwhile: its keys must not be lost. */
  #write(text: string): void {
    if (readText(this.#path) !== this.#text) refuse.wallet_changed();
    replaceFile(this.#path, text);
    this.#text = text;
    this.#file = parseKeyFile(text);
  }

  /** The file as it was read, under the first name that is free. */
  #keepCopy(): string {
    for (let copy = 1; ; copy++) {
      const path = copy === 1 ? `${this.#path}.lineage` : `${this.#path}.lineage-${copy}`;
      if (readText(path) !== undefined) continue;
      replaceFile(path, this.#text ?? '');
      return path;
    }
  }

  #idle(delayMs: number): void {
    this.#stopIdling = this.#options.clock.after(delayMs, () => {
      const leftMs = this.#lastUseMs + this.#options.lockAfterMs - this.#options.clock.nowMs();
      if (leftMs > 0) return this.#idle(leftMs);
      this.#forget();
      this.#options.onIdleLock?.();
    });
  }

  #forget(): void {
    this.#stopIdling();
    for (const secret of this.#open?.secrets.values() ?? []) secret.fill(0);
    this.#open?.lock.wipe();
    this.#open = undefined;
  }
}

/** Whatever else has the name may be a genesis, or a key that is nowhere else. */
function requireWallet(path: string): void {
  const text = readText(path) ?? '';
  if (text !== '' && !isWalletFile(text)) refuse.file_is_no_wallet({ path });
}

function inOrder(secrets: ReadonlyMap<PublicKey, Uint8Array>): Uint8Array[] {
  return [...secrets].toSorted(([a], [b]) => compareKeys(a, b)).map(([, secret]) => secret);
}

function publicKeyText(secret: Uint8Array): PublicKey | undefined {
  const key = derivePublicKey(secret);
  return key === undefined ? undefined : Buffer.from(key).toString('hex');
}
