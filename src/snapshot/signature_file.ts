import { existsSync, readFileSync, statSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import { present } from '../base/assert.ts';
import { sha256 } from '../crypto/hashes.ts';
import { recoverKey } from '../crypto/recover.ts';
import { sign } from '../crypto/sign.ts';
import type { PublicKey } from '../values/public_key.ts';
import { writeWholeFile } from '../system/whole_file.ts';
import { hexMember, parseMembers } from '../system/json_members.ts';
import { onDisk } from '../system/system_error.ts';

const SIGNATURE_BYTES = 65;
/** A sum and a signature have 200 characters. */
export const LARGEST_SIGNATURE_FILE = 4096;

/** Returns the path of a snapshot's signature. */
export function signaturePath(snapshot: string): string {
  return `${snapshot}.sig`;
}

/**
 * Writes who vouches for a snapshot beside it: its sha256, and a signature of that in the form of the chain's
 * signatures.
 */
export function writeSignature(snapshot: string, sum: string, secret: Uint8Array): void {
  const signature = Buffer.from(present(sign(signedDigest(sum), secret), 'a signature by a private key')).toString(
    'hex',
  );
  writeWholeFile(signaturePath(snapshot), `${JSON.stringify({ sha256: sum, signature })}\n`);
}

/**
 * The key that has signed a snapshot with that sha256. Fault `configuration` when there is no signature, or one of
 * another file.
 */
export function readSigner(snapshot: string, sum: string): PublicKey {
  const path = signaturePath(snapshot);
  if (!existsSync(path)) throw new Fault('configuration', `there is no signature ${path}`);
  const isOne = onDisk(`cannot read ${path}`, () => statSync(path).size) <= LARGEST_SIGNATURE_FILE;
  const { sha256: signed, signature } =
    (isOne && parseMembers(onDisk(`cannot read ${path}`, () => readFileSync(path, 'utf8')))) || {};
  const bytes = hexMember(signature, SIGNATURE_BYTES);
  if (bytes === undefined) throw new Fault('configuration', `${path} is no signature of a snapshot`);
  if (signed !== sum)
    throw new Fault('configuration', `${path} signs another file than ${snapshot}, which has sha256 ${sum}`);
  const key = recoverKey(signedDigest(sum), Buffer.from(bytes, 'hex'));
  if (key === undefined) throw new Fault('configuration', `${path} has a signature that no key can have made`);
  return Buffer.from(key).toString('hex');
}

/** The words keep a signature from being one of something else. */
function signedDigest(sum: string): Uint8Array {
  return sha256(Buffer.from(`pharos snapshot ${sum}`));
}
