import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommittedFinality } from '../../../src/node/network/committed_finality.ts';
import { BlockFinality } from '../../../src/node/http/block_finality.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { growSide, partedParameters } from '../../builders/parted_witnesses.ts';
import { ProvingChain } from '../../builders/proving_chain.ts';

interface Shown {
  readonly certificate: { readonly block_num: number; readonly votes: number; readonly voters: number } | null;
  readonly relation?: string;
}

const parameters = partedParameters({ finality: true });

function follow({ chain, store }: ProvingChain, remembers?: number): BlockFinality {
  const [version, settled] = [(): number => store.version(), (): number => chain.settled];
  const finality = new CommittedFinality({ parameters, store, version, settled });
  return new BlockFinality({ rows: chain.committed, finality, parameters }, remembers);
}

function read(page: BlockFinality, number: number): readonly [block: number | undefined, relation: string | undefined] {
  const shown: Shown = JSON.parse(String(page.page(number).body));
  assert.ok(shown.certificate === null || shown.certificate.votes === shown.certificate.voters);
  return [shown.certificate?.block_num, shown.relation];
}

/** A chain of eleven blocks, in rounds of four, whose page has seen all its certificates. */
function grown(epochsKept?: number): { readonly proving: ProvingChain; readonly page: BlockFinality } {
  const proving = new ProvingChain(new MemoryStore(), parameters, epochsKept === undefined ? {} : { epochsKept });
  const page = follow(proving);
  for (let number = 1; number <= 11; number++) {
    growSide(proving.chain, ['initminer'], 1);
    if (![3, 4, 8, 10].includes(number)) continue;
    proving.finalise(number);
    tell(page, proving);
  }
  return { proving, page };
}

function tell(page: BlockFinality, { chain }: ProvingChain): void {
  const { number, id, time, lastIrreversible: irreversible } = chain.head;
  page.takeUpdate({ head: { number, id, time, irreversible } });
}

test('a block is shown with the certificate that made it final, not with the newest', () => {
  const { page } = grown();
  assert.deepEqual(
    [1, 3, 4, 5, 8, 9, 10].map((number) => read(page, number)),
    [
      [3, 'made_final'],
      [3, 'made_final'],
      [4, 'made_final'],
      [8, 'made_final'],
      [8, 'made_final'],
      [10, 'made_final'],
      [10, 'made_final'],
    ],
  );
  for (const number of [11, 9_999_999_999]) assert.deepEqual(read(page, number), [undefined, undefined]);
});

test('after a start the last block of the round stands for certificates that are not kept', () => {
  const { proving } = grown();
  const page = follow(proving);
  assert.deepEqual(
    [1, 3, 4, 5, 9, 10].map((number) => read(page, number)),
    [
      [4, 'same_round'],
      [4, 'same_round'],
      [4, 'made_final'],
      [8, 'same_round'],
      [10, 'same_round'],
      [10, 'made_final'],
    ],
  );
});

test('a block whose round left no certificate is covered by one of a later round', () => {
  const { proving } = grown(2);
  for (let number = 12; number <= 48; number++) {
    growSide(proving.chain, ['initminer'], 1);
    if (number % 4 === 0) proving.finalise(number);
  }
  const relations = [9, 13, 21, 33].map((number) => read(follow(proving), number));
  assert.deepEqual(relations, [
    [12, 'same_round'],
    [20, 'later_round'],
    [36, 'later_round'],
    [36, 'same_round'],
  ]);
});

test('a certificate whose update came late is not taken for one that it skipped, nor is one in a gap', () => {
  const { proving } = grown();
  const page = follow(proving);
  growSide(proving.chain, ['initminer'], 2);
  const { number, id, time } = proving.chain.head;
  proving.finalise(11);
  const eleven = { number, id, time, irreversible: 11 };
  proving.finalise(12);
  page.takeUpdate({ head: eleven });
  tell(page, proving);
  assert.deepEqual(
    [11, 12].map((each) => read(page, each)),
    [
      [12, 'same_round'],
      [12, 'made_final'],
    ],
  );
  growSide(proving.chain, ['initminer'], 2);
  proving.finalise(14);
  page.takeGap({ head: { number, id, time, irreversible: 14 } });
  assert.deepEqual(read(page, 13), [14, 'same_round']);
});

test('the page remembers a bounded number of certificates', () => {
  const proving = new ProvingChain(new MemoryStore(), parameters);
  const page = follow(proving, 10);
  for (let number = 1; number <= 30; number++) {
    growSide(proving.chain, ['initminer'], 1);
    proving.finalise(number);
    tell(page, proving);
  }
  assert.deepEqual(read(page, 21), [21, 'made_final']);
  assert.deepEqual(read(page, 17), [20, 'same_round']);
});

test('before the first certificate no block has one', () => {
  const page = follow(new ProvingChain(new MemoryStore(), parameters));
  assert.deepEqual(read(page, 1), [undefined, undefined]);
});
