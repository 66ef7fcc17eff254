import assert from 'node:assert/strict';
import { test } from 'node:test';

import { BlockWants } from '../../../src/p2p/blocks/block_wants.ts';
import { blockAnnouncement } from '../../../src/wire/messages/block_announcement.ts';
import { blockRequest } from '../../../src/wire/messages/block_request.ts';
import { madeUpId } from '../../builders/still_chain.ts';
import { House } from '../house.ts';

const NUMBER = 1001;

/** A node that has been told of a block by these, in that order. */
function told(names: readonly string[]): {
  readonly house: House;
  readonly wants: BlockWants;
  readonly asked: () => string[];
} {
  const house = new House({ seeds: [{ host: '9.9.9.9', port: 9290 }] });
  house.pass(1);
  for (const [index, name] of names.entries()) {
    if (name === 'ours') house.answers(0, name, '9.9.9.9');
    else assert(house.comes(name, `2${index}.1.1.1`));
  }
  const wants = new BlockWants({ environment: house.environment, takesTransactions: true, isFull: () => false });
  const want =
    wants.begin({ id: madeUpId(NUMBER), previous: madeUpId(NUMBER - 1), bytes: 1000 }, true) ?? assert.fail();
  for (const peer of house.joined) want.addAnnouncer(peer);
  wants.ask(want);
  return { house, wants, asked: () => names.filter((name) => house.heard(name, blockRequest) > 0) };
}

test('a block that does not come is asked of the next peer, first of one that we have chosen ourselves', () => {
  const { house, wants, asked } = told(['liar', 'its friend', 'another friend', 'ours']);
  const order = [asked()];
  for (let round = 0; round < 3; round++) {
    house.clock.pass(1100);
    wants.tick();
    order.push(asked());
  }
  assert.deepEqual(order, [['liar'], ['ours'], ['its friend'], ['another friend']]);
  house.clock.pass(1100);
  wants.tick();
  assert.equal(wants.size, 0, 'nobody is left');
  const points = house.joined.map(({ score }) => Math.round(score.at(house.clock.elapsedMs())));
  assert.deepEqual(points, [-12, -12, -12, -12], 'told and not given, and late');
});

test('from whom something comes meanwhile is late and no more: a slow link is no lie', () => {
  const { house, wants } = told(['slow', 'other']);
  const [slow = assert.fail()] = house.joined;
  house.says('slow', blockAnnouncement, {
    id: madeUpId(NUMBER + 1),
    previous: madeUpId(NUMBER),
    transactions: 0,
    bytes: 0,
  });
  house.clock.pass(1100);
  wants.tick();
  assert.equal(Math.round(slow.score.at(house.clock.elapsedMs())), -2);
});
