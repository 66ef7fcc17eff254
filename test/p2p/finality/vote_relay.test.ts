import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Vote } from '../../../src/blocks/finality/vote.ts';
import { SeenVotes } from '../../../src/p2p/finality/seen_votes.ts';
import { finalityRequest } from '../../../src/wire/messages/finality_request.ts';
import { goodbye } from '../../../src/wire/messages/goodbye.ts';
import { hello } from '../../../src/wire/messages/hello.ts';
import { ping } from '../../../src/wire/messages/ping.ts';
import { votes as message } from '../../../src/wire/messages/votes.ts';
import { madeUpId } from '../../builders/still_chain.ts';
import { EPOCH, HEAD, KEYS, madeUpVoters, makeSubject, makeVote, VotingHost, type Guest } from './voting_host.ts';

const UNSIGNED = `1f${'00'.repeat(64)}`;

function sends(guest: Guest, ...votes: readonly Vote[]): void {
  const [first = assert.fail('no votes')] = votes;
  guest.says(message, { subject: first.subject, votes: votes.map(({ voter, signature }) => ({ voter, signature })) });
}

/** Lists the votes of each guest, by the index of the voter. */
function heardVotes(guests: readonly Guest[]): number[][] {
  return guests.map((guest) => guest.heard(message).flatMap(({ votes }) => votes.map(({ voter }) => voter)));
}

test('a vote is verified once, handed to the chain, and passed on to six peers that relay votes and lack it', () => {
  const host = new VotingHost();
  const guests = host.relays();
  const [sender = assert.fail(), second = assert.fail(), ...others] = guests;
  const listener = host.guest('follower', 0);
  sends(sender, makeVote(3), makeVote(4));
  sends(second, makeVote(4), makeVote(5));
  sends(sender, makeVote(3));
  assert.deepEqual([host.votes.map(({ voter }) => voter), host.verified], [[3, 4, 5], 3]);
  host.clock.pass(60);
  const heard = heardVotes(others).filter((some) => some.length > 0);
  assert(heard.length >= 4 && heard.length <= 6, `${heard.length} of eight others`);
  assert(
    heard.every((some) => some.toSorted((a, b) => a - b).join() === '3,4,5'),
    'they travel together',
  );
  assert.deepEqual(
    [heardVotes([sender]).flat().includes(3), heardVotes([second]).flat().includes(4)],
    [false, false],
    'nobody gets back what it sent',
  );
  assert.deepEqual(heardVotes([listener]), [[]]);
});

test("a node's own vote leaves with what else has come within 50 ms, once", () => {
  const host = new VotingHost();
  const [peer = assert.fail(), sender = assert.fail()] = host.relays(2);
  host.network.finalityChanged({ kind: 'vote', vote: makeVote(0) });
  sends(sender, makeVote(1));
  assert.deepEqual(heardVotes([peer]), [[]], 'not yet');
  host.clock.pass(60);
  assert.deepEqual(
    peer.heard(message).map(({ votes }) => votes.map(({ voter }) => voter).toSorted((a, b) => a - b)),
    [[0, 1]],
  );
  host.network.finalityChanged({ kind: 'vote', vote: makeVote(0) });
  host.clock.pass(60);
  assert.deepEqual(heardVotes([peer]), [[]]);
});

test('a wrong signature, and a voter that does not exist, ban who sent them; what came before in the message counts', () => {
  for (const wrong of [
    { ...makeVote(7), signature: UNSIGNED },
    { ...makeVote(7), voter: KEYS.length },
  ]) {
    const host = new VotingHost();
    const liar = host.guest('liar');
    sends(liar, makeVote(6), wrong, makeVote(8));
    assert(liar.pipe.isClosed && host.bans.has(liar.pipe.peer, host.clock.nowMs()));
    assert.deepEqual(
      host.votes.map(({ voter }) => voter),
      [6],
    );
  }
});

test('views that do not count, other epochs, voters of other branches and impossible blocks cost no signature and blame nobody', () => {
  const host = new VotingHost();
  const guest = host.guest('guest');
  const far = (HEAD + 1000).toString(16).padStart(8, '0').padEnd(40, '0');
  const dropped = [
    ...[
      { view: HEAD - 11 },
      { view: HEAD + 2 },
      { epoch: EPOCH - 1, voters: madeUpVoters(EPOCH - 1).digest },
      { block: far },
    ],
    ...[
      { voters: madeUpVoters(EPOCH, KEYS.slice(1)).digest },
      { epoch: EPOCH + 5, voters: madeUpVoters(EPOCH + 5).digest },
    ],
  ];
  for (const varied of dropped)
    guest.says(message, { subject: makeSubject(varied), votes: [{ voter: 1, signature: UNSIGNED }] });
  assert.deepEqual([host.verified, host.votes.length, guest.pipe.isClosed], [0, 0, false]);
  for (const varied of [{ view: HEAD - 10 }, { view: HEAD + 1 }, { epoch: EPOCH + 1 }])
    sends(guest, makeVote(1, makeSubject(varied)));
  assert.equal(host.votes.length, 3);
});

test('of votes that contradict each other two are passed on; a known block counts all the same, an unknown one costs nothing', () => {
  const host = new VotingHost();
  const [sender = assert.fail(), peer = assert.fail()] = host.relays(2);
  const unknown = (branch: number): Vote => makeVote(2, makeSubject({ block: madeUpId(HEAD + 1, branch) }));
  for (const branch of [1, 2, 3, 4]) sends(sender, unknown(branch));
  assert.deepEqual([host.verified, host.votes.length], [2, 2]);
  sends(sender, makeVote(2));
  assert.deepEqual([host.verified, host.votes.length], [3, 3], 'the block is known');
  host.clock.pass(60);
  assert.equal(heardVotes([peer]).flat().length, 2);
  sends(sender, makeVote(2, makeSubject({ kind: 'commit' })), makeVote(3, makeSubject({ kind: 'commit' })));
  assert.equal(host.votes.length, 5, 'a commit contradicts no prepare');
});

test('of a voter that states ever other things about one known block four count in a view, and others still count', () => {
  const host = new VotingHost();
  const [sender = assert.fail(), peer = assert.fail()] = host.relays(2);
  const varied = (byte: number): string => byte.toString(16).padStart(2, '0').repeat(32);
  for (let byte = 1; byte <= 20; byte++) {
    sends(sender, makeVote(2, makeSubject({ root: varied(byte) })));
    sends(sender, makeVote(3, makeSubject({ header: varied(byte) })));
  }
  assert.deepEqual([host.verified, host.votes.length], [8, 8]);
  host.clock.pass(60);
  assert.equal(heardVotes([peer]).flat().length, 4, 'two of each are proof');
  for (const vote of [
    makeVote(4),
    makeVote(2, makeSubject({ kind: 'commit' })),
    makeVote(2, makeSubject({ view: HEAD + 1 })),
  ])
    sends(sender, vote);
  assert.deepEqual([host.votes.length, sender.pipe.isClosed], [11, false]);
});

test('a vote of a later epoch has its messenger asked for the boundaries between, once in three seconds', () => {
  const host = new VotingHost();
  const [guest = assert.fail(), other = assert.fail()] = host.relays(2);
  const ahead = makeSubject({ epoch: EPOCH + 1 });
  for (const voter of [1, 2]) sends(guest, makeVote(voter, ahead));
  sends(other, makeVote(3, ahead));
  assert.deepEqual(guest.heard(finalityRequest), [{ epoch: EPOCH, count: 64, newest: 3 }]);
  assert.deepEqual(other.heard(finalityRequest), []);
  host.clock.pass(3100);
  sends(other, makeVote(4, ahead));
  assert.equal(other.heard(finalityRequest).length, 1);
});

test('old views are forgotten, so that memory stays bounded, and their votes do not count again', () => {
  const host = new VotingHost();
  const guest = host.guest('guest');
  sends(guest, makeVote(1));
  host.clock.pass(20_000);
  guest.says(ping, { number: 1n });
  host.clock.pass(20_000);
  sends(guest, makeVote(1));
  assert.deepEqual([guest.pipe.isClosed, host.verified], [false, 1]);
  const seen = new SeenVotes();
  const { subject } = makeVote(1);
  seen.add(subject, 'a', 1);
  seen.add(subject, 'b', 1);
  seen.add({ ...subject, view: HEAD + 1 }, 'a', 1);
  assert.deepEqual([seen.count(subject, 1), seen.count(subject, 2), seen.has(subject, 'c', 1)], [2, 0, false]);
  seen.forget((view) => view <= HEAD);
  assert.deepEqual([seen.count(subject, 1), seen.count({ ...subject, view: HEAD + 1 }, 1)], [0, 1]);
});

test('a node says that it relays votes only where the chain has them, and is silent where it has none', () => {
  const helloRoles = (host: VotingHost): number | undefined => host.guest('guest').heard(hello)[0]?.roles;
  assert.equal((helloRoles(new VotingHost()) ?? 0) & 16, 16);
  assert.equal((helloRoles(new VotingHost({ relaysVotes: false })) ?? 16) & 16, 0);
  const without = new VotingHost({ hasFinality: false });
  assert.equal((helloRoles(without) ?? 16) & 16, 0);
  const guest = without.guest('other');
  sends(guest, { ...makeVote(1), signature: UNSIGNED });
  without.clock.pass(60);
  assert.deepEqual(
    [without.verified, without.votes.length, guest.pipe.isClosed, guest.heard(goodbye).length],
    [0, 0, false, 0],
  );
});
