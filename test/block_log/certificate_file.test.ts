import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import type { Certificate } from '../../src/blocks/finality/certificate.ts';
import {
  certificatesPath,
  readCertificates,
  takeCertificates,
  writeCertificates,
} from '../../src/block_log/certificate_file.ts';
import { FolderSource } from '../../src/block_log/folder_source.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { makeCertificate, finalise } from '../builders/certificates.ts';
import { openChain } from '../builders/chain.ts';
import { copyBlock, growSide, HERE, partedChains, partedParameters, THERE } from '../builders/parted_witnesses.ts';

const parameters = partedParameters({ finality: true });
const folder = mkdtempSync(join(tmpdir(), 'pharos-certificates-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A chain whose rounds have ended with certificates. */
function origin(): { readonly chain: Chain; readonly store: MemoryStore } {
  const store = new MemoryStore();
  const { here: chain } = partedChains(parameters, store);
  growSide(chain, [...HERE, ...THERE], 16 - (chain.head.number % 4));
  for (let number = 1; number <= chain.head.number; number++) finalise(chain, parameters, number);
  growSide(chain, [...HERE, ...THERE], 2);
  return { chain, store };
}

/** The same blocks, imported. */
function imported({ chain }: { readonly chain: Chain }): Chain {
  const copy = openChain(parameters);
  const blocks = Array.from({ length: chain.head.number }, (_, at) =>
    copyBlock(parameters, present(chain.block(at + 1), 'a block')),
  );
  copy.replay(blocks, { signatures: false });
  return copy;
}

test('an export has the certificates of the last blocks of rounds, and an import tells those blocks as final', () => {
  const { chain, store } = origin();
  const path = join(folder, 'whole');
  const source = new FolderSource('the store', store);
  writeCertificates(path, source.certificates(1, source.final));
  const copy = imported({ chain });
  assert.equal(copy.head.lastIrreversible, 0);
  takeCertificates(copy, parameters, path);
  assert.equal(copy.head.lastIrreversible, chain.head.lastIrreversible);
  assert.deepEqual(copy.voted.endedEpochs(0, 100), chain.voted.endedEpochs(0, 100));
  takeCertificates(copy, parameters, path);
  // A log that ends earlier has fewer.
  assert.equal(source.certificates(1, 9).length, 2);
  assert.equal(source.certificates(9, 12).length, 1);
});

test('without the file, or with an empty one of old, nothing is told as final', () => {
  const { chain } = origin();
  const path = join(folder, 'none');
  writeFileSync(certificatesPath(path), 'of an older log');
  writeCertificates(path, []);
  assert.ok(!existsSync(certificatesPath(path)));
  const copy = imported({ chain });
  takeCertificates(copy, parameters, path);
  assert.equal(copy.head.lastIrreversible, 0);
});

test('certificates that the voters of the chain have not signed, or of other blocks, are refused', () => {
  const { chain } = origin();
  const path = join(folder, 'forged');
  const take = (certificate: Certificate): void => {
    writeCertificates(path, [certificate]);
    takeCertificates(imported({ chain }), parameters, path);
  };
  const certificate = makeCertificate(chain, parameters, 12);
  take(certificate);
  const { subject, signatures } = certificate;
  const [first, second] = signatures;
  assert.ok(first !== undefined && second !== undefined);
  const swapped = [{ ...first, signature: second.signature }, ...signatures.slice(1)];
  const other = { ...subject, block: `${subject.block.slice(0, 8)}${'ab'.repeat(16)}` };
  const forgeries: readonly [Certificate, RegExp][] = [
    [{ subject, signatures: signatures.slice(1, 2) }, /votes/],
    [{ subject, signatures: swapped }, /signature/],
    [{ subject: other, signatures }, /another one/],
    [{ subject: { ...subject, root: 'cd'.repeat(32) }, signatures }, /signature/],
    [makeCertificate(chain, parameters, 12, 'prepare'), /does not make it final/],
  ];
  for (const [forged, message] of forgeries) assert.throws(() => take(forged), { code: 'damaged_data', message });
  const bytes = readFileSync(certificatesPath(path));
  writeFileSync(certificatesPath(path), bytes.subarray(0, -1));
  assert.throws(() => readCertificates(path), { code: 'damaged_data' });
});
