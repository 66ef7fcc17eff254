import { assert } from '../base/assert.ts';
import { cryptoModule, type CryptoModule } from './wasm.ts';

/** A text that may be the password from which an account's keys are derived. */
export interface Password {
  /** At most 255 bytes; no surrogate pairs. */
  readonly account: string;
  readonly text: string;
}

const HEAD_BYTES = 3;
/** The most UTF-8 bytes that one UTF-16 unit takes. */
const CHARACTER_BYTES = 3;
/** As in native/derive.h. */
const [MOST_ROLES, ROLE_BYTES] = [4, 16];

/**
 * The ends (the last four bytes, as numbers) of the public keys of sha256(account ‖ role ‖ text), role by role for each
 * password: a key with another end is none of them. For many passwords a tenth of the cost of deriving the keys; not
 * constant time.
 */
export function passwordKeyEnds(passwords: readonly Password[], roles: readonly string[]): Uint32Array {
  const module = cryptoModule();
  const ends = new Uint32Array(passwords.length * roles.length);
  setRoles(module, roles);
  const most = Math.trunc(module.keyEnds.length / roles.length);
  for (let done = 0; done < passwords.length;) {
    const count = write(module.texts, passwords, done, Math.min(passwords.length, done + most));
    module.deriveKeys(count, roles.length);
    module.wipeSecrets();
    ends.set(module.keyEnds.subarray(0, count * roles.length), done * roles.length);
    module.keyEnds.fill(0, 0, count * roles.length);
    done += count;
  }
  return ends;
}

const SECRET_BYTES = 32;

/** The same ends for the public keys of these private ones; 0 for those that are not in 1..n−1. Not constant time. */
export function secretKeyEnds(secrets: readonly Uint8Array[]): Uint32Array {
  const ends = new Uint32Array(secrets.length);
  if (secrets.length === 0) return ends;
  const module = cryptoModule();
  const most = Math.min(module.keyEnds.length, Math.trunc(module.texts.length / SECRET_BYTES));
  for (let done = 0; done < secrets.length; done += most) {
    const some = secrets.slice(done, done + most);
    some.forEach((secret, index) => module.texts.set(secret, index * SECRET_BYTES));
    module.deriveSecrets(some.length);
    module.wipeSecrets();
    ends.set(module.keyEnds.subarray(0, some.length), done);
    module.keyEnds.fill(0, 0, some.length);
  }
  return ends;
}

function setRoles({ roles }: CryptoModule, names: readonly string[]): void {
  assert(names.length <= MOST_ROLES, 'the crypto module derives keys of a few roles');
  names.forEach((name, index) => {
    const bytes = Buffer.from(name);
    assert(bytes.length <= ROLE_BYTES, 'names of roles are short');
    roles[index * (1 + ROLE_BYTES)] = bytes.length;
    roles.set(bytes, index * (1 + ROLE_BYTES) + 1);
  });
}

/** Writes passwords from `first` to `end` − 1 as far as they fit, at least one; returns how many. */
function write(out: Buffer, passwords: readonly Password[], first: number, end: number): number {
  let at = 0;
  for (let index = first; index < end; index++) {
    const { account, text } = passwords[index] ?? { account: '', text: '' };
    if (at + HEAD_BYTES + (account.length + text.length) * CHARACTER_BYTES > out.length) {
      assert(index > first, 'a password is a few kilobytes at most');
      return index - first;
    }
    const nameBytes = writeText(out, account, at + HEAD_BYTES);
    const textBytes = writeText(out, text, at + HEAD_BYTES + nameBytes);
    assert(nameBytes <= 255, 'names of accounts are short');
    out[at] = nameBytes;
    out.writeUInt16LE(textBytes, at + 1);
    at += HEAD_BYTES + nameBytes + textBytes;
  }
  return end - first;
}

/** Above this, the buffer's own way is the faster one; below, its call costs as much as 50 characters. */
const SHORT_TEXT = 50;

/** Writes a text as UTF-8; returns how many bytes. */
function writeText(out: Buffer, text: string, at: number): number {
  const { length } = text;
  if (length > SHORT_TEXT) return out.write(text, at);
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index);
    if (code > 127) return out.write(text, at);
    out[at + index] = code;
  }
  return length;
}
