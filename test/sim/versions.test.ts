import assert from 'node:assert/strict';
import { test } from 'node:test';

import { blockAnnouncement } from '../../src/wire/messages/block_announcement.ts';
import { bundle } from '../../src/wire/messages/bundle.ts';
import { bundleAnnouncement } from '../../src/wire/messages/bundle_announcement.ts';
import { bundleRequest } from '../../src/wire/messages/bundle_request.ts';
import { compactBlock } from '../../src/wire/messages/compact_block.ts';
import { missing } from '../../src/wire/messages/missing.ts';
import { missingRequest } from '../../src/wire/messages/missing_request.ts';
import { peersRequest } from '../../src/wire/messages/peers_request.ts';
import { rangeRequest } from '../../src/wire/messages/range_request.ts';
import { people, makeTransaction, transferJson } from '../builders/chain.ts';
import { chooseSeeds } from './seeds.ts';
import { SimWorld } from './sim_world.ts';
import type { Skew } from './version_skew.ts';
import { inLongForm } from '../builders/forms.ts';

const skews: Readonly<Record<string, Skew>> = {
  'a newer one, which says more and has one kind more': { saysMore: true },
  'an older one without bundles': { lacks: [bundle] },
  'an older one without announcements of blocks': { lacks: [blockAnnouncement] },
  'an older one that neither asks for peers nor answers, beside a newer one': { lacks: [peersRequest], saysMore: true },
  'an older one that asks for every block and is pushed every bundle': {
    lacks: [compactBlock, missingRequest, missing, bundleAnnouncement, bundleRequest],
    roles: 1,
  },
  'an older one that serves no ranges': { lacks: [rangeRequest] },
};

/** Of the others most is alike. */
const usual = new Set([
  'a newer one, which says more and has one kind more',
  'an older one that asks for every block and is pushed every bundle',
]);

for (const [name, skew] of Object.entries(skews)) {
  for (const seed of chooseSeeds(7))
    test(
      `nodes of this version and ${name}, share a chain: nobody is blamed, and transactions get into blocks (seed ${seed})`,
      usual.has(name) ? {} : inLongForm,
      () => {
        const world = new SimWorld({ seed, witnesses: 5 });
        const nodes = world.populate();
        const [other, late] = [world.add({ name: 'other', skew }), world.add({ name: 'late', skew }, [])];
        world.run(20);
        const before = other.chain.head.number;
        const sender = skew.lacks?.includes(bundle) === true ? (nodes[1] ?? assert.fail()) : other;
        const payment = makeTransaction(
          sender.chain,
          world.parameters,
          [transferJson('alice', 'bob', 1000, 'paid')],
          [people[0]],
          {
            expiration: sender.chain.head.time + 300,
          },
        );
        sender.post(payment);
        world.run(60);
        const all = skew.lacks?.includes(rangeRequest) === true ? [...nodes, other] : [...nodes, other, late];
        world.assertTogether(all);
        assert(other.chain.head.number >= before + 18, 'blocks go on');
        for (const node of [other, ...nodes])
          assert(node.network.connections.live.length >= 3, `${node.options.name} keeps its links`);
        const blocks = Array.from({ length: 22 }, (_, k) => other.chain.block(before + k));
        assert(
          blocks.some((block) => block?.transactions.some(({ id }) => id === payment.id)),
          'the payment is in a block',
        );
        assert(!world.checks.lines.some((line) => /banned|malformed|misbehaved/.test(line)));
      },
    );
}
