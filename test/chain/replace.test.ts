import assert from 'node:assert/strict';
import { test } from 'node:test';
import { present } from '../../src/base/assert.ts';
import { Refusal, refusals } from '../../src/base/refusal.ts';
import { verifyBlock } from '../../src/blocks/verify.ts';
import { Chain } from '../../src/chain/chain.ts';
import { chainView } from '../../src/state/chain_view.ts';
import { dynamicGlobalProperties } from '../../src/state/tables/dynamic_global_property.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { testSecret } from '../builders/chain.ts';
import { OwnChain } from '../builders/own_chain.ts';
import { quickSignature } from '../builders/quick_signature.ts';

interface Told {
  readonly undone: readonly string[];
  readonly applied: readonly string[];
}

/** A chain of its own, what it tells of, and what a reader of the same store sees. */
function toldChain(): {
  readonly chain: Chain;
  readonly told: Told[];
  readonly seen: () => number;
  readonly own: OwnChain;
  readonly store: MemoryStore;
} {
  const [own, store, told] = [new OwnChain(['alice']), new MemoryStore(), [] as Told[]];
  const chain = new Chain({
    ...{ store, parameters: own.parameters, durable: false },
    changed: ({ undone, applied }) => told.push({ undone, applied: [...applied].map(({ id }) => id) }),
  });
  const view = chainView(store, 10);
  return { chain, told, own, store, seen: () => view.only(dynamicGlobalProperties).head_block_number };
}

function seal(chain: Chain, slot = 1): string {
  const timestamp = chain.slotTime(slot);
  const { witness } = present(chain.findProductionSlot(timestamp), 'a slot');
  return chain.seal({ witness, timestamp, sign: (digest) => quickSignature(digest, testSecret('init_key')) }).id;
}

test('blocks that take the place of others are one change, for followers and for readers', () => {
  const { chain, told, own, store, seen } = toldChain();
  const before = Array.from({ length: 5 }, () => seal(chain));
  told.length = 0;
  const heads: number[] = [];
  const made: string[] = [];
  chain.replace(3, () => {
    for (const slot of [2, 1, 1]) {
      made.push(seal(chain, slot));
      heads.push(seen());
    }
  });
  assert.deepEqual(heads, [5, 5, 5]);
  assert.equal(seen(), 6);
  assert.deepEqual(told, [{ undone: before.slice(3), applied: made }]);
  // What comes next is told of as ever, on disk is what others come to by the same blocks.
  const next = seal(chain);
  assert.deepEqual(told.at(-1), { undone: [], applied: [next] });
  const other = own.another();
  for (let number = 1; number <= 7; number++)
    other.push(verifyBlock(own.parameters.chainId, present(chain.block(number), 'a block')));
  assert.equal(other.head.stateHash, chain.head.stateHash);
  assert.deepEqual({ ...new Chain({ store, parameters: own.parameters, durable: false }).head }, { ...chain.head });
});

test('where no more can be made, what was made until then is told of, and the refusal comes behind it', () => {
  const refuse = refusals({ over: 'no more than {most}' });
  const { chain, told, seen } = toldChain();
  const before = Array.from({ length: 2 }, () => seal(chain));
  told.length = 0;
  const made: string[] = [];
  const replacing = (): void =>
    chain.replace(0, () => {
      made.push(seal(chain, 2));
      refuse.over({ most: 1 });
    });
  assert.throws(replacing, (error) => error instanceof Refusal && error.code === 'over');
  assert.deepEqual(told, [{ undone: before, applied: made }]);
  assert.equal(seen(), 1);
  seal(chain);
  assert.equal(seen(), 2);
});
