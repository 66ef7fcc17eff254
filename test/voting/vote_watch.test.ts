import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_VOTERS, type Vote } from '../../src/blocks/finality/vote.ts';
import { epochVoters, type Voters } from '../../src/blocks/finality/voters.ts';
import { VoteWatch, type EndedSlot } from '../../src/voting/vote_watch.ts';
import { testKey, testKeyText, people } from '../builders/chain.ts';

const CHAIN = 'ab'.repeat(32);
const names = people.slice(0, 3);
const voters = epochVoters(
  CHAIN,
  2,
  names.map((name) => testKey(name)),
);
const START = 1000;

function makeVote(name: string, view: number, of: Voters = voters): Vote {
  const subject = { epoch: of.epoch, voters: of.digest, view, kind: 'prepare', next_voters: NO_VOTERS } as const;
  const stated = { block: '0'.repeat(40), header: '0'.repeat(64), root: '0'.repeat(64) };
  return { subject: { ...subject, ...stated }, voter: of.keys.indexOf(testKey(name)), signature: '' };
}

/** A watch over slots, of which each is ended in turn. */
class Watched {
  readonly signers: { readonly witness: string; readonly key: string }[] = names.map((witness) => ({
    witness,
    key: testKey(witness),
  }));
  readonly watch = new VoteWatch({
    ...{ intervalSeconds: 3, keyPrefix: 'PHR', slot: START },
    signers: () => this.signers,
  });
  #slot = START;

  /** So many slots, in each of which these vote. */
  pass(slots: number, voting: readonly string[], ended: Partial<EndedSlot> = {}): void {
    for (let count = 0; count < slots; count++) {
      for (const name of voting) this.watch.take(makeVote(name, this.#slot), voters);
      const slot = this.#slot++;
      this.watch.slotEnded({ slot, voters, isVotedIn: true, isBehind: false, ...ended });
    }
  }

  skip(slots: number): void {
    this.#slot += slots;
  }

  get slot(): number {
    return this.#slot;
  }

  counts(of: Voters = voters): Record<string, readonly [cast: number, missed: number]> {
    return Object.fromEntries(
      this.watch.voters(of, this.#slot).map(({ witness, cast, missed }) => [witness, [cast, missed]]),
    );
  }
}

test('votes that came and votes that were missed are counted for each voter, once a slot', () => {
  const [alice = '', bob = '', carol = ''] = names;
  const watched = new Watched();
  watched.pass(11, [alice, bob, bob]);
  watched.pass(4, [alice]);
  // The first slot was under way at the start, and for the last two votes may still come.
  assert.deepEqual(watched.counts(), { [alice]: [15, 0], [bob]: [11, 2], [carol]: [0, 12] });
  assert.deepEqual(watched.watch.missing(voters, watched.slot), [testKey(carol)]);
  watched.watch.take(makeVote(carol, watched.slot - 1), voters);
  watched.watch.take(makeVote(carol, watched.slot - 2), voters);
  watched.pass(3, names);
  assert.deepEqual(watched.counts()[carol], [5, 12], 'a vote that comes within two slots is not missed');
});

test('nobody misses a vote in a slot without anything to vote for, nor while this node has no blocks or stands still', () => {
  const watched = new Watched();
  watched.pass(5, [], { isVotedIn: false });
  watched.pass(5, [], { isBehind: true });
  watched.pass(1, []);
  watched.skip(50);
  watched.pass(1, []);
  assert.deepEqual(Object.values(watched.counts()), [
    [0, 0],
    [0, 0],
    [0, 0],
  ]);
  watched.pass(4, []);
  assert.ok(Object.values(watched.counts()).every(([cast, missed]) => cast === 0 && missed > 0));
});

test('what others claim costs no room: votes of no voter, of other voters and of old slots count for nothing', () => {
  const [alice = ''] = names;
  const watched = new Watched();
  watched.pass(15, []);
  watched.watch.take({ ...makeVote(alice, watched.slot), voter: 9 }, voters);
  watched.watch.take(makeVote(alice, watched.slot), epochVoters(CHAIN, 3, voters.keys));
  watched.watch.take(makeVote(alice, START), voters);
  assert.equal(watched.counts()[alice]?.[0], 0);
  const others = epochVoters(CHAIN, 3, [testKey('initminer')]);
  watched.pass(1, [], { voters: others });
  assert.deepEqual(watched.counts(), { '': [0, 0] }, 'a voter that has gone is forgotten, and so is its name');
});

test('a key that is replaced keeps its name until its epoch ends', () => {
  const watched = new Watched();
  watched.pass(1, names);
  watched.signers.splice(0, 1, { witness: 'alice', key: testKey('initminer') });
  watched.pass(30, []);
  assert.match(watched.watch.namesText(watched.watch.missing(voters, watched.slot)), /\balice\b/);
});

test('finality stands still once no block is final for twenty slots, since the last final block, and not while blocks are missing here', () => {
  const [alice = '', bob = ''] = names;
  const watched = new Watched();
  const standing = { number: 7, slot: 900, voters };
  watched.pass(20, [alice]);
  assert.equal(watched.watch.problem(standing, watched.slot), undefined);
  watched.pass(1, [alice]);
  assert.match(
    watched.watch.problem(standing, watched.slot) ?? '',
    /no block behind 7 has become final since 1970-01-01T00:45:00; of 3 voters 1 have voted in the last 10 slots, and 3 are needed; missing are /,
  );
  assert.equal(watched.watch.stalledSince(watched.slot, undefined), 3 * START, 'where no certificate proves the block');
  watched.pass(5, [alice]);
  assert.equal(watched.watch.stalls, 1);
  watched.watch.finalised(watched.slot);
  assert.equal(watched.watch.problem(standing, watched.slot), undefined);
  watched.pass(30, [bob], { isBehind: true });
  assert.equal(watched.watch.problem(standing, watched.slot), undefined, 'a node that fetches blocks');
  watched.pass(22, [bob]);
  assert.equal(watched.watch.stalls, 2);
});

test('of many missing voters some are named by witness or key, and the others counted', () => {
  const keys = ['initminer', ...people].map((name) => testKey(name));
  const many = epochVoters(CHAIN, 2, [
    ...keys,
    ...Array.from({ length: 12 }, (_, k) => `02${k.toString(16).padStart(64, '1')}`),
  ]);
  const { watch } = new Watched();
  const text = watch.namesText(watch.missing(many, START + 10));
  assert.deepEqual(watch.missing(many, START + 9), [], 'a node that has just started has missed nobody yet');
  assert.match(text, / and \d+ more$/);
  assert.ok(!text.includes(', and'));
  assert.equal(watch.names(many.keys).length, 9);
  assert.deepEqual(watch.names([testKey('initminer')]), [testKeyText('initminer')]);
});
