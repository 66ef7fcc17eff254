import { existsSync, readFileSync, rmSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import { catchRefusal } from '../base/refusal.ts';
import { certificate, requireCertificate, type Certificate } from '../blocks/finality/certificate.ts';
import { isVoteSigned } from '../blocks/finality/vote_signature.ts';
import type { Chain } from '../chain/chain.ts';
import { ByteReader, ByteWriter } from '../codec/bytes.ts';
import { vector } from '../codec/collections.ts';
import type { ChainParameters } from '../state/parameters.ts';
import { onDisk } from '../system/system_error.ts';
import { writeWholeFile } from '../system/whole_file.ts';
import { getBlockNumber } from '../values/hash.ts';

const certificates = vector(certificate);

/** The name of the file with the certificates by which blocks of a log are final. */
export function certificatesPath(path: string): string {
  return `${path}.certificates`;
}

/**
 * Writes certificates beside a block log. Where there are none, no file is left there: one of an older log would be of
 * other blocks.
 */
export function writeCertificates(path: string, some: readonly Certificate[]): void {
  const file = certificatesPath(path);
  if (some.length === 0) return onDisk(`cannot remove ${file}`, () => rmSync(file, { force: true }));
  const out = new ByteWriter();
  certificates.write(out, some);
  onDisk(`cannot write ${file}`, () => writeWholeFile(file, out.finish()));
}

/** The certificates beside a block log; none where no file is there. Fault `damaged_data`. */
export function readCertificates(path: string): readonly Certificate[] {
  const file = certificatesPath(path);
  if (!existsSync(file)) return [];
  const bytes = onDisk(`cannot read ${file}`, () => readFileSync(file));
  let found: readonly Certificate[] = [];
  const refusal = catchRefusal(() => {
    const input = new ByteReader(bytes);
    found = certificates.read(input);
    input.expectEnd();
  });
  if (refusal !== undefined) throw damaged(path, `it can't be read: ${refusal.message}`, refusal);
  return found;
}

/**
 * Makes blocks of a chain final by the certificates beside the log that they came from. Each is verified with the
 * voters that the chain itself has computed. Fault `damaged_data` for one that those have not signed, or that is for
 * another block.
 */
export function takeCertificates(chain: Chain, { chainId }: Pick<ChainParameters, 'chainId'>, path: string): void {
  for (const each of readCertificates(path)) {
    const { block, epoch, kind } = each.subject;
    const number = getBlockNumber(block);
    const voters = chain.voted.votersOf(epoch);
    // A log may go further than the chain, and a chain may have begun with a later block.
    if (number > chain.head.number || number <= chain.head.lastIrreversible || voters === undefined) continue;
    if (chain.voted.statedAt(number).block !== block) throw damaged(path, `block ${number} is another one in the log`);
    if (kind !== 'commit') throw damaged(path, `the certificate of block ${number} does not make it final`);
    const refusal = catchRefusal(() => requireCertificate(chainId, each, voters, isVoteSigned));
    if (refusal !== undefined) throw damaged(path, `block ${number}: ${refusal.message}`, refusal);
    chain.finalise(block, each);
  }
}

function damaged(path: string, why: string, cause?: unknown): Fault {
  return new Fault(
    'damaged_data',
    `${certificatesPath(path)} is damaged: ${why}; without the file the blocks are imported, and none is told as final`,
    cause,
  );
}
