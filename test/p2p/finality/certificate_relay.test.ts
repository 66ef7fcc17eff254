import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Certificate } from '../../../src/blocks/finality/certificate.ts';
import { ancestorRequest } from '../../../src/wire/messages/ancestor_request.ts';
import { certificate } from '../../../src/wire/messages/certificate.ts';
import { certificateAnnouncement } from '../../../src/wire/messages/certificate_announcement.ts';
import { type BoundaryCertificate, finality } from '../../../src/wire/messages/finality.ts';
import { finalityRequest } from '../../../src/wire/messages/finality_request.ts';
import { ping } from '../../../src/wire/messages/ping.ts';
import { pong } from '../../../src/wire/messages/pong.ts';
import { ancestor } from '../../../src/wire/messages/ancestor.ts';
import { madeUpId } from '../../builders/still_chain.ts';
import {
  makeCertificate,
  EPOCH,
  HEAD,
  KEYS,
  madeUpVoters,
  makeSubject,
  VotingHost,
  type Guest,
} from './voting_host.ts';

const COMMIT = makeCertificate(makeSubject({ kind: 'commit' }));
const PREPARE = makeCertificate(makeSubject());

function makeBoundary(epoch: number, keys = KEYS, first = HEAD - 5): BoundaryCertificate {
  const next = madeUpVoters(epoch + 1, keys).digest;
  const subject = makeSubject({
    epoch,
    kind: 'commit',
    view: HEAD - 1,
    block: madeUpId(first + epoch - EPOCH),
    next_voters: next,
  });
  return { certificate: makeCertificate(subject), voters: { epoch, keys: KEYS } };
}

function announces(guest: Guest, { subject: { epoch, view, kind, block } }: Certificate): void {
  guest.says(certificateAnnouncement, { epoch, view, kind, block });
}

test('a certificate is verified once and handed to the chain, whoever brings it and however often', () => {
  const host = new VotingHost();
  const guests = host.relays(3);
  for (const guest of guests) guest.says(certificate, PREPARE);
  assert.deepEqual([host.certificates, host.verified], [[PREPARE], 7]);
});

test('a certificate of known voters that lacks votes, or holds a forged one, bans who sent it', () => {
  const few = makeCertificate(makeSubject(), 6);
  const forged = {
    ...PREPARE,
    signatures: [...PREPARE.signatures.slice(0, 6), { voter: 9, signature: `1f${'00'.repeat(64)}` }],
  };
  const nobody = {
    ...PREPARE,
    signatures: [...PREPARE.signatures.slice(0, 6), { voter: 10, signature: `1f${'00'.repeat(64)}` }],
  };
  for (const wrong of [few, forged, nobody]) {
    const host = new VotingHost();
    const liar = host.guest('liar');
    liar.says(certificate, wrong);
    assert(liar.pipe.isClosed && host.bans.has(liar.pipe.peer, host.clock.nowMs()));
    assert.equal(host.certificates.length, 0);
  }
});

test('a certificate of any age counts, one of the future does not; of other voters nobody can tell, and nobody is blamed', () => {
  const host = new VotingHost();
  const guest = host.guest('guest');
  const old = makeCertificate(makeSubject({ view: HEAD - 400, block: madeUpId(HEAD - 5) }));
  guest.says(certificate, old);
  guest.says(certificate, makeCertificate(makeSubject({ view: HEAD + 2 })));
  guest.says(certificate, makeCertificate(makeSubject({ voters: madeUpVoters(EPOCH, KEYS.slice(1)).digest })));
  assert.deepEqual([host.certificates, guest.pipe.isClosed, host.verified], [[old], false, 7]);
});

test('what the chain wants pushed goes to six peers that relay votes and lack it; all others are told of it', () => {
  const host = new VotingHost();
  const guests = host.relays(9);
  const follower = host.guest('follower', 0);
  host.network.finalityChanged({ kind: 'certificate', certificate: COMMIT, isPushed: true });
  const pushed = guests.filter((guest) => guest.heard(certificate).length > 0);
  assert.equal(pushed.length, 6);
  assert.deepEqual(follower.heard(certificate), []);
  host.network.finalityChanged({ kind: 'certificate', certificate: COMMIT, isPushed: true });
  assert.deepEqual(
    [...guests, follower].map((guest) => guest.heard(certificate).length + guest.heard(certificateAnnouncement).length),
    Array(10).fill(0),
  );
});

test('who sent a certificate does not get it back', () => {
  const host = new VotingHost();
  const [sender = assert.fail(), other = assert.fail()] = host.relays(2);
  sender.says(certificate, PREPARE);
  host.network.finalityChanged({ kind: 'certificate', certificate: PREPARE, isPushed: true });
  assert.deepEqual([sender.heard(certificate).length, other.heard(certificate).length], [0, 1]);
});

test('a certificate that is not pushed is announced to all; a new peer is told what the chain wants told', () => {
  const host = new VotingHost();
  const relay = host.guest('relay');
  host.network.finalityChanged({ kind: 'certificate', certificate: COMMIT, isPushed: false });
  assert.deepEqual(relay.heard(certificateAnnouncement), [
    { epoch: EPOCH, view: HEAD, kind: 'commit', block: madeUpId(HEAD) },
  ]);
  host.network.finalityChanged({ kind: 'told', certificates: [PREPARE, COMMIT] });
  assert.deepEqual(host.guest('later').heard(certificate), [PREPARE, COMMIT]);
  assert.equal(host.guest('follower', 0).heard(certificateAnnouncement).length, 2);
});

test('an announced certificate is fetched of one peer, after a second of the next one, and not when it is here', () => {
  const host = new VotingHost();
  const [one = assert.fail(), two = assert.fail()] = host.relays(2);
  announces(one, COMMIT);
  announces(two, COMMIT);
  assert.deepEqual([one.heard(finalityRequest), two.heard(finalityRequest)], [[{ epoch: 0, count: 0, newest: 2 }], []]);
  host.clock.pass(1200);
  assert.equal(two.heard(finalityRequest).length, 1);
  two.says(finality, { boundaries: [], newest: [COMMIT] });
  assert.deepEqual(host.certificates, [COMMIT]);
  host.network.finalityChanged({ kind: 'told', certificates: [COMMIT] });
  announces(two, COMMIT);
  announces(two, makeCertificate(makeSubject({ view: HEAD - 3, kind: 'commit', block: madeUpId(HEAD - 3) })));
  announces(two, makeCertificate(makeSubject({ view: HEAD + 2, kind: 'commit' })));
  host.clock.pass(1200);
  assert.deepEqual(two.heard(finalityRequest), []);
});

test('of what a peer announces the newest four are wanted, each is asked for once, and none takes the place of what others announce', () => {
  const host = new VotingHost();
  const [liar = assert.fail(), honest = assert.fail()] = host.relays(2);
  const madeUp = (branch: number): Certificate =>
    makeCertificate(makeSubject({ kind: 'commit', view: HEAD + 1, block: madeUpId(HEAD, branch) }));
  for (let branch = 1; branch <= 200; branch++) for (let times = 0; times < 3; times++) announces(liar, madeUp(branch));
  announces(honest, COMMIT);
  assert.equal(honest.heard(finalityRequest).length, 1);
  let asked = 0;
  for (let second = 0; second < 20; second++) {
    asked += liar.heard(finalityRequest).length;
    host.clock.pass(1000);
    for (const guest of [liar, honest]) guest.says(ping, { number: 1n });
  }
  // The first of all was asked for at once.
  assert.equal(asked, 5);
});

test('strangers that vote in later epochs do not hold up the questions to peers that this node has dialled', () => {
  const host = new VotingHost();
  const [liar = assert.fail()] = host.relays(1);
  const dialled = host.dialled('dialled');
  const ahead = makeCertificate(makeSubject({ epoch: EPOCH + 3, voters: madeUpVoters(EPOCH + 3).digest }));
  liar.says(certificate, ahead);
  assert.equal(liar.heard(finalityRequest).length, 1);
  host.network.finalityChanged({ kind: 'wanted', epoch: EPOCH });
  assert.deepEqual(dialled.heard(finalityRequest), [{ epoch: EPOCH, count: 64, newest: 3 }]);
});

test('a node that relays no votes waits for the commits before it fetches prepares', () => {
  const host = new VotingHost({ relaysVotes: false });
  const [guest = assert.fail()] = host.relays(1);
  announces(guest, PREPARE);
  host.clock.pass(600);
  assert.deepEqual(guest.heard(finalityRequest), []);
  announces(guest, COMMIT);
  guest.says(finality, { boundaries: [], newest: [COMMIT] });
  host.network.finalityChanged({ kind: 'told', certificates: [COMMIT] });
  assert.deepEqual(guest.heard(finalityRequest), [{ epoch: 0, count: 0, newest: 2 }]);
  host.clock.pass(2000);
  assert.deepEqual(guest.heard(finalityRequest), [], 'the prepares are not needed any more');
  announces(guest, makeCertificate(makeSubject({ view: HEAD + 1 })));
  host.clock.pass(1700);
  assert.deepEqual(guest.heard(finalityRequest), [{ epoch: 0, count: 0, newest: 1 }], 'without commits they are');
});

test('peers are asked for the branch with a certified block that is not here, and for none whose block is here', () => {
  for (const [block, isAsked] of [
    [madeUpId(HEAD - 2, 1), true],
    [madeUpId(HEAD - 2), false],
  ] as const) {
    const host = new VotingHost();
    const guest = host.guest('guest');
    guest.heard(ancestorRequest);
    host.network.finalityChanged({ kind: 'missing', block });
    host.clock.pass(2000);
    assert.equal(guest.heard(ancestorRequest).length > 0, isAsked);
  }
});

for (const hasFinality of [true, false])
  test(`a peer with another block in the place of a final one ${hasFinality ? 'stays: it may not have heard of the certificate yet' : 'is let go where confirmations make blocks final'}`, () => {
    const host = new VotingHost({ hasFinality });
    const guest = host.guest('guest');
    const isAsked = (seconds: number): boolean => {
      host.network.finalityChanged({ kind: 'missing', block: madeUpId(HEAD - 2, 1) });
      for (let left = 4 * seconds; left > 0; left--) {
        host.clock.pass(250);
        if (guest.heard(ancestorRequest).length > 0) return true;
      }
      return false;
    };
    guest.heard(ancestorRequest);
    assert.ok(isAsked(5));
    guest.says(ancestor, { number: 0 });
    assert.equal(guest.pipe.isClosed, !hasFinality);
    assert.equal(isAsked(10), hasFinality, 'it is asked again soon');
  });

test('an answer that nobody asked for counts against its sender', () => {
  const host = new VotingHost();
  const guest = host.guest('guest');
  for (let count = 0; count < 6; count++) guest.says(finality, { boundaries: [], newest: [COMMIT] });
  assert.deepEqual([guest.pipe.isClosed, host.certificates.length], [true, 0]);
});

test('boundaries of voters that blocks have named are handed over in order; those behind them wait', () => {
  const host = new VotingHost();
  const guest = host.guest('guest');
  host.network.finalityChanged({ kind: 'wanted', epoch: EPOCH });
  assert.equal(guest.heard(finalityRequest)[0]?.count, 64);
  const [first, second, third] = [makeBoundary(EPOCH), makeBoundary(EPOCH + 1), makeBoundary(EPOCH + 2)];
  guest.says(finality, { boundaries: [first, second, third], newest: [] });
  assert.deepEqual(host.certificates, [first.certificate, second.certificate]);
  host.voters.set(EPOCH + 2, madeUpVoters(EPOCH + 2));
  host.clock.pass(200);
  assert.deepEqual(host.certificates.at(-1), third.certificate);
});

test('an answer of many certificates is verified in slices of some milliseconds, so that others are answered between them', () => {
  const host = new VotingHost();
  for (let epoch = EPOCH; epoch < EPOCH + 12; epoch++) host.voters.set(epoch, madeUpVoters(epoch));
  // Each look at a signature takes its time.
  host.verifyMs = 0.3;
  const [guest = assert.fail(), other = assert.fail()] = host.relays(2);
  host.network.finalityChanged({ kind: 'wanted', epoch: EPOCH });
  const asked = [guest, other].find((each) => each.heard(finalityRequest).length > 0) ?? assert.fail();
  const idle = asked === guest ? other : guest;
  const startMs = host.clock.elapsedMs();
  const boundaries = Array.from({ length: 12 }, (_, index) => makeBoundary(EPOCH + index, KEYS, HEAD - 60));
  asked.says(finality, { boundaries, newest: [] });
  assert.ok(host.clock.elapsedMs() - startMs < 8, `${host.clock.elapsedMs() - startMs} ms`);
  const first = host.certificates.length;
  assert.ok(first > 0 && first < 5, `${first} certificates`);
  idle.says(ping, { number: 7n });
  assert.equal(idle.heard(pong).length, 1);
  host.clock.pass(500);
  assert.equal(host.certificates.length, 12);
});

test('an answer with two certificates of one epoch, or with those of other voters, bans who sent it', () => {
  const [first, second] = [makeBoundary(EPOCH), makeBoundary(EPOCH + 1)];
  for (const boundaries of [[first, first], [second, first], [{ ...first, voters: second.voters }]]) {
    const host = new VotingHost();
    const liar = host.guest('liar');
    host.network.finalityChanged({ kind: 'wanted', epoch: EPOCH });
    liar.says(finality, { boundaries, newest: [] });
    assert.deepEqual([liar.pipe.isClosed, host.verified], [true, 0]);
  }
});

test('when an epoch begins, the highest certificate is handed over again: the chain can make more of it', () => {
  const host = new VotingHost();
  const guest = host.guest('guest');
  const later = makeCertificate(makeSubject({ epoch: EPOCH + 1 }));
  guest.says(certificate, later);
  host.clock.pass(200);
  assert.deepEqual(host.certificates, [later]);
  host.epoch++;
  host.clock.pass(500);
  assert.deepEqual([host.certificates, host.verified], [[later, later], 7]);
});

test('a certificate of voters that no block has named yet waits until one does', () => {
  const host = new VotingHost();
  host.voters.delete(EPOCH + 1);
  const guest = host.guest('guest');
  const later = makeCertificate(makeSubject({ epoch: EPOCH + 1 }));
  guest.says(certificate, later);
  assert.deepEqual([host.certificates.length, guest.heard(finalityRequest).length], [0, 1]);
  host.voters.set(EPOCH + 1, madeUpVoters(EPOCH + 1));
  host.clock.pass(200);
  assert.deepEqual(host.certificates, [later]);
});

test('boundaries that are here are given in order, with the newest certificates that are wanted', () => {
  const host = new VotingHost();
  for (const epoch of [3, 4, 6]) host.boundaries.set(epoch, makeBoundary(epoch));
  const older = makeCertificate(makeSubject({ kind: 'commit', view: HEAD - 9 }));
  host.network.finalityChanged({ kind: 'told', certificates: [older, PREPARE, COMMIT] });
  const guest = host.guest('guest', 0);
  const answers = (epoch: number, count: number, newest: number): [number[], (string | undefined)[]] => {
    guest.says(finalityRequest, { epoch, count, newest });
    host.clock.pass(50);
    const [answer] = guest.heard(finality);
    return [
      answer?.boundaries.map(({ voters }) => voters.epoch) ?? [],
      answer?.newest.map(({ subject }) => `${subject.kind} ${subject.view}`) ?? [],
    ];
  };
  assert.deepEqual(answers(3, 64, 0), [[3, 4, 6], []]);
  assert.deepEqual(answers(4, 1, 3), [[4], [`prepare ${HEAD}`, `commit ${HEAD}`]]);
  assert.deepEqual(answers(7, 9, 2), [[], [`commit ${HEAD}`]]);
  guest.says(ping, { number: 1n });
  assert.equal(guest.pipe.isClosed, false);
});
