import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Alive } from '../../src/blocks/alive.ts';
import { AliveWitnesses, type AliveView } from '../../src/witness/alive_witnesses.ts';
import { testKey } from '../builders/chain.ts';
import { madeUpId } from '../builders/still_chain.ts';

const SLOT = 600_000_000;
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `witness${index}`);

/** A chain of made-up blocks with its head at 1000, final up to 990 unless said; another branch has other ids. */
function makeView(round: readonly string[], lastIrreversible = 990): AliveView {
  return {
    head: { number: 1000, id: madeUpId(1000), lastIrreversible },
    headSigners: round.map((witness) => ({ witness, key: testKey(witness) })),
    isOnMainBranch: (id) => {
      const number = Number.parseInt(id.slice(0, 8), 16);
      return number >= lastIrreversible && number <= 1000 && id === madeUpId(number);
    },
  };
}

function alive(witness: string, varied: Partial<Alive> = {}): Alive {
  return { witness, key: testKey(witness), slot: SLOT, head: madeUpId(1000), ...varied };
}

/** True when all of a round but the first are counted and that one claims something else. */
function counts(varied: Partial<Alive>, lastIrreversible?: number): boolean {
  const round = names(3);
  const known = new AliveWitnesses();
  for (const [index, witness] of round.entries()) known.take(alive(witness, index === 0 ? varied : {}));
  return known.areEnough(makeView(round, lastIrreversible), SLOT);
}

for (const [size, least] of [
  [51, 35],
  [9, 7],
  [4, 3],
  [3, 3],
  [2, 2],
] as const) {
  test(`of a round of ${size} witnesses ${least} are enough, and one fewer is not`, () => {
    const known = new AliveWitnesses();
    for (const witness of names(least - 1)) known.take(alive(witness));
    assert.ok(!known.areEnough(makeView(names(size)), SLOT));
    known.take(alive(`witness${least - 1}`));
    assert.ok(known.areEnough(makeView(names(size)), SLOT));
  });
}

test('a witness that has several slots of a round counts once, and one of another round not at all', () => {
  const known = new AliveWitnesses();
  for (const witness of ['witness0', 'witness1', 'other', 'another']) known.take(alive(witness));
  assert.ok(!known.areEnough(makeView(['witness0', 'witness0', 'witness0', 'witness0', 'witness1', 'witness2']), SLOT));
});

test('nobody goes on alone: a chain of one witness may be an old copy of one that has many', () => {
  const known = new AliveWitnesses();
  known.take(alive('witness0'));
  assert.ok(!known.areEnough(makeView(['witness0']), SLOT));
});

test('what is signed counts for slots from ten behind to two ahead', () => {
  assert.deepEqual(
    [-11, -10, 0, 2, 3].map((ahead) => counts({ slot: SLOT + ahead })),
    [false, true, true, true, false],
  );
});

test('a witness stands with a chain at its head, or on its branch above what is final and not far below', () => {
  assert.ok(counts({ head: madeUpId(991) }));
  assert.ok(!counts({ head: madeUpId(990) }), 'where all branches stand');
  assert.ok(counts({ head: madeUpId(1000) }, 1000), 'the head itself, though it is final');
  assert.ok(counts({ head: madeUpId(983) }, 900) && !counts({ head: madeUpId(982) }, 900));
  assert.ok(
    !counts({ head: madeUpId(1000, 7) }) && !counts({ head: madeUpId(1001) }),
    'another branch, and what is not here yet',
  );
});

test('the last word of a witness counts, with the key that it has now', () => {
  const known = new AliveWitnesses();
  for (const witness of names(2)) known.take(alive(witness));
  known.take(alive('witness0', { slot: SLOT - 1, head: madeUpId(1000, 7) }));
  assert.ok(known.areEnough(makeView(names(2)), SLOT), 'an older one changes nothing');
  known.take(alive('witness0', { slot: SLOT + 1, head: madeUpId(1000, 7) }));
  assert.ok(!known.areEnough(makeView(names(2)), SLOT));
  known.take(alive('witness0', { slot: SLOT + 2, key: testKey('erin') }));
  assert.ok(!known.areEnough(makeView(names(2)), SLOT));
});

test('what is too old is forgotten', () => {
  const known = new AliveWitnesses();
  for (const witness of names(2)) known.take(alive(witness));
  known.tidy(SLOT + 11);
  assert.ok(!known.areEnough(makeView(names(2)), SLOT));
});
