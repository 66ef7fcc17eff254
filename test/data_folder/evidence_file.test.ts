import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

import { voteDigest } from '../../src/blocks/finality/vote.ts';
import { isVoteSigned } from '../../src/blocks/finality/vote_signature.ts';
import { EVIDENCE_FILE, EvidenceFile } from '../../src/data_folder/evidence_file.ts';
import { Evidence } from '../../src/voting/evidence.ts';
import { people } from '../builders/chain.ts';
import { contradictingCertificates, contradictingVotes } from '../builders/contradictions.ts';

const CHAIN = 'ab'.repeat(32);

function temporaryFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-evidence-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function openEvidence(folder: string, warned: string[] = []): Evidence {
  const file = new EvidenceFile(folder, CHAIN);
  return new Evidence({ file, keyPrefix: 'PHR', log: { warning: (line) => void warned.push(line) } });
}

test('what contradicts itself is there at the next start, and whoever has the file can verify it', (context) => {
  const folder = temporaryFolder(context);
  const [votes, certificates] = [contradictingVotes(CHAIN), contradictingCertificates(CHAIN)];
  const warned: string[] = [];
  const evidence = openEvidence(folder, warned);
  evidence.takeVotes(votes);
  evidence.takeVotes(votes);
  evidence.takeCertificates(certificates);
  evidence.takeCertificates(certificates);
  assert.equal(warned.length, 1, 'it is said once');
  assert.match(warned[0] ?? '', /^voter alice \(PHR.*\) has signed two votes that contradict each other in view 500/);
  const again = openEvidence(folder);
  assert.deepEqual(again.all, [certificates, votes]);
  assert.match(
    again.problems.join(),
    /^certificates contradict each other.*commits of block 0000001e1.* and commits of/,
  );
  assert.match(again.problems.join(), /signed more than one of them: PHR\S+, PHR\S+, PHR\S+ and 2 more; seen /);
  assert.match(again.problems.join(), /remove .*pharos-evidence.txt and start the node again$/);
  assert.match(again.warnings.join(), /^voter alice /);
  for (const each of again.all)
    for (const { subject, key, signature } of listSignatures(each))
      assert.ok(isVoteSigned(voteDigest(CHAIN, subject), signature, key));
});

function listSignatures(each: Evidence['all'][number]) {
  return 'votes' in each
    ? each.votes.map(({ subject, signature }) => ({ subject, key: each.key, signature }))
    : each.certificates.flatMap(({ certificate: { subject, signatures }, signers }) =>
        signatures.map(({ signature }, index) => ({ subject, key: signers[index] ?? '', signature })),
      );
}

test('however many contradict themselves, the file stays small, and the newest are kept', (context) => {
  const folder = temporaryFolder(context);
  const evidence = openEvidence(folder);
  for (let epoch = 1; epoch <= 40; epoch++) {
    for (const name of people) evidence.takeVotes(contradictingVotes(CHAIN, name, epoch));
    evidence.takeCertificates(contradictingCertificates(CHAIN, epoch));
  }
  const { all } = openEvidence(folder);
  assert.deepEqual([all.filter((each) => 'votes' in each).length, all.length], [64, 68]);
  assert.deepEqual(all.at(-1), contradictingVotes(CHAIN, people.at(-1), 40));
  assert.ok(statSync(join(folder, EVIDENCE_FILE)).size < 256 * 1024);
  assert.equal(evidence.warnings.length, 4, 'three are named, the rest counted');
});

test('evidence of another chain is none, and a damaged line costs that line and a warning', (context) => {
  const folder = temporaryFolder(context);
  const path = join(folder, EVIDENCE_FILE);
  openEvidence(folder).takeVotes(contradictingVotes(CHAIN));
  const other = new EvidenceFile(folder, 'cd'.repeat(32));
  assert.deepEqual(other.read(), { path, found: [], damage: undefined });
  const sound = readFileSync(path, 'latin1');
  appendFileSync(path, sound.replace('votes', 'votes '));
  const warned: string[] = [];
  assert.equal(openEvidence(folder, warned).all.length, 1);
  assert.match(warned.join(), /pharos-evidence.txt: line 2 can't be read, .*nothing else depends on it; .*\.damaged$/);
  assert.equal(readFileSync(path, 'latin1'), sound);
  assert.ok(existsSync(`${path}.damaged`));
  writeFileSync(path, Buffer.alloc(5 * 1024 * 1024));
  assert.equal(openEvidence(folder, warned).all.length, 0);
  assert.match(warned.at(-1) ?? '', /larger than this program makes it/);
});

test('a disk that takes nothing costs a warning, and what was seen is told until the node ends', () => {
  const warned: string[] = [];
  const evidence = openEvidence('/nowhere', warned);
  evidence.takeVotes(contradictingVotes(CHAIN));
  assert.equal(evidence.all.length, 1);
  assert.match(warned.at(-1) ?? '', /^evidence against voters is not kept beyond a restart: /);
});
