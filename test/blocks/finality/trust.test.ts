import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { present } from '../../../src/base/assert.ts';
import { catchRefusal } from '../../../src/base/refusal.ts';
import type { FinalityProof } from '../../../src/blocks/finality/finality_proof.ts';
import { checkpointTrust, withProof, type Trust, type TrustChecks } from '../../../src/blocks/finality/trust.ts';
import { parseCheckpoint } from '../../../src/values/checkpoint.ts';
import { CertifiedChain, EPOCH_BLOCKS, numbered } from '../../client/verified/certified_chain.ts';

// At the edges of what a client accepts. Signatures are not looked at here; the lies of test/client/verified forge them.

const DAY = 86_400;
const BEGUN = 1_795_219_200;
/** Three of 51 voters leave with each epoch. */
const chain = new CertifiedChain({ begun: BEGUN, epochs: 20, voters: (epoch) => numbered(3 * epoch, 51) });

function makeTrust(epoch: number): Trust {
  return checkpointTrust(present(parseCheckpoint(chain.checkpoint(epoch)), 'a checkpoint'), chain.chain, EPOCH_BLOCKS);
}

const makeChecks = (nowSeconds: number): TrustChecks => ({ verify: () => true, isVerified: () => false, nowSeconds });

function refusedAs(trust: Trust, proof: FinalityProof, nowSeconds = chain.now): string | undefined {
  return catchRefusal(() => void withProof(trust, proof, makeChecks(nowSeconds)))?.code;
}

/** The proof of the newest block by its certificate alone, signed by as many of the trusted voters as there are. */
const direct = (trusted: number): FinalityProof =>
  chain.makeProof(chain.newest, trusted, [chain.shown(chain.newest, chain.getVoters(trusted).keys)]);

test('18 of 51 trusted voters are believed for 30 days to the second, 17 never, and 35 always', () => {
  const { since } = makeTrust(8);
  assert.equal(withProof(makeTrust(8), direct(8), makeChecks(chain.now)).isByThird, true);
  assert.equal(refusedAs(makeTrust(8), direct(8), since + 30 * DAY), undefined);
  assert.equal(refusedAs(makeTrust(8), direct(8), since + 30 * DAY + 1), 'trust_too_old');
  // 15 of those of epoch 7 are left, 36 of those of epoch 14.
  assert.equal(refusedAs(makeTrust(7), direct(7)), 'voters_not_trusted');
  assert.equal(withProof(makeTrust(14), direct(14), makeChecks(since + 1000 * DAY)).isByThird, false);
  assert.equal(refusedAs(makeTrust(13), direct(13), since + 1000 * DAY), 'trust_too_old');
});

test('the last block of an epoch names the next voters, whatever the age, and certificates make trust young again', () => {
  const later = withProof(makeTrust(13), direct(13), makeChecks(chain.now));
  assert.deepEqual([later.epoch, later.digest, later.since], [19, chain.getVoters(19).digest, chain.now]);
  assert.equal(later.next, chain.getVoters(20).digest);
  const ended = chain.makeProof(36, 8, [chain.shown(36, chain.getVoters(8).keys)]);
  const named = withProof(makeTrust(8), ended, makeChecks(BEGUN + 1000 * DAY));
  assert.deepEqual([named.epoch, named.next], [8, chain.getVoters(9).digest]);
  const next = chain.makeProof(37, 8, [chain.shown(36), chain.shown(37)]);
  assert.deepEqual(withProof(makeTrust(8), next, makeChecks(BEGUN + 1000 * DAY)).isByThird, false);
});

/** A proof by a certificate of another view. */
function ofView(view: number): FinalityProof {
  const proof = direct(19);
  const { subject, signatures } = proof.certificate;
  return { ...proof, certificate: { subject: { ...subject, view }, signatures } };
}

test('a slot of the future is refused, however long slots are said to be, and one slot of a clock is nothing', () => {
  const { view } = chain.subject(chain.newest);
  const trust = makeTrust(19);
  assert.equal(refusedAs(trust, ofView(view + 1)), undefined);
  assert.equal(refusedAs(trust, ofView(view + 2)), 'certificate_from_future');
  assert.equal(refusedAs(trust, ofView(2 * view)), 'certificate_from_future');
  assert.equal(refusedAs(trust, ofView(0xffff_ffff)), 'certificate_from_future');
  assert.equal(refusedAs(trust, direct(19), 0), 'certificate_from_future');
});

test('a certificate never counts as younger than it is, and up to slots of ten minutes as just as old', () => {
  const slots = fc.oneof(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 601, max: DAY }));
  fc.assert(
    fc.property(slots, fc.nat(30 * DAY), (interval, ageSeconds) => {
      const trust = makeTrust(19);
      const view = Math.ceil((trust.begun + ageSeconds) / interval);
      const time = view * interval;
      const { since } = withProof(trust, ofView(view), makeChecks(time));
      assert.ok(since <= time, `${since} and ${time}`);
      if (interval <= 600) assert.equal(since, time);
    }),
  );
});
