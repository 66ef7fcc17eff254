import { Fault } from '../base/fault.ts';
import { parsePublicKey, publicKeyText, type PublicKey } from '../values/public_key.ts';
import { profileNamed } from '../settings/chain_settings.ts';
import { fileSum, requireFileSum } from './file_sum.ts';
import { blamingDamage, inspectHeader } from './read_snapshot.ts';
import { readSigner } from './signature_file.ts';

/** The reason to trust a snapshot. */
export interface Voucher {
  /** It was written by a node of the operator's. */
  readonly isOwn: boolean;
  /** The sum that a trusted party gives for the file, as sha256sum prints it. */
  readonly sha256: string | undefined;
  /** Public keys; one of them must have signed the file. */
  readonly signedBy: readonly string[];
}

/** Fault `configuration` when nobody vouches for the file, or it isn't the file that somebody vouches for. */
export async function requireVouched(path: string, { isOwn, sha256, signedBy }: Voucher): Promise<void> {
  if (sha256 !== undefined) await requireFileSum(path, sha256);
  if (sha256 !== undefined || isOwn) return;
  if (signedBy.length === 0) throw new Fault('configuration', whoseIs(path));
  const { keyPrefix } = readProfile(path);
  const keys = signedBy.map((text) => parseKey(text, keyPrefix));
  const signer = readSigner(path, await fileSum(path));
  if (keys.includes(signer)) return;
  throw new Fault(
    'configuration',
    `${path} is signed by ${publicKeyText(signer, keyPrefix)}, which is none of the keys that you name`,
  );
}

function whoseIs(path: string): string {
  return `whose file is ${path}? What is in it proves nothing about who has made it: say --own (in settings snapshot-own) when a node of yours has written it; --sha256 (snapshot-sha256) with the sum that somebody tells you whom you trust; or snapshot-signed-by, the key of somebody who has signed it`;
}

function readProfile(path: string): ReturnType<typeof profileNamed> {
  const { profile } = inspectHeader(path);
  return blamingDamage(path, () => profileNamed(profile));
}

function parseKey(text: string, prefix: string): PublicKey {
  const key = parsePublicKey(text, prefix);
  if (key === undefined)
    throw new Fault('configuration', `snapshot-signed-by: not a public key with prefix ${prefix}: ${text}`);
  return key;
}
