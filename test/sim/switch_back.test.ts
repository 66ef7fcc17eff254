import assert from 'node:assert/strict';
import { test } from 'node:test';

import { refusalOf } from '../../src/base/refusal.ts';
import { keySwitchIn } from '../../src/blocks/key_switch.ts';
import { verifyTransaction } from '../../src/blocks/verify.ts';
import { keyOf, transactionOn } from '../builders/chain.ts';
import { MemoryJournal } from '../builders/memory_journal.ts';
import { witnessUpdate } from '../builders/parted_witnesses.ts';
import { isLong } from '../builders/forms.ts';
import { activeFor, DOUBLED, FailoverWorld } from './failover_world.ts';
import { seedsOf } from './seeds.ts';

for (const seed of seedsOf(1, ...(isLong ? [2] : []))) {
  test(`after switching back an older switch is refused, its standby never takes over again, and a new one does (seed ${seed})`, () => {
    const parted = new FailoverWorld(seed);
    const { world, active, observer, standbys } = parted;
    parted.getReady();
    active.kill();
    world.run(70);
    assert.equal(parted.key, keyOf('standby0'));

    const older =
      keySwitchIn(Buffer.from(standbys[0]?.options.standby?.kept.read()?.packed ?? '', 'hex')) ??
      assert.fail('it had one');

    // Back to the first machine, with a key that nobody has used, and a standby with another one.
    observer.post(transactionOn(observer.chain, world.parameters, [witnessUpdate(DOUBLED, 'again')], [DOUBLED]));
    const again = world.add({
      ...{ name: 'again', keyName: 'again', witnesses: [DOUBLED], journal: new MemoryJournal() },
      standby: activeFor(['standby0', 'fresh']),
    });
    parted.active = again;
    const fresh = parted.addStandby('fresh', 'fresh');
    world.run(60);
    assert.equal(parted.key, keyOf('again'));
    assert.equal(standbys[0]?.duties?.report().standby?.obstacle, 'key_used');

    const refusal = refusalOf(() => observer.post(verifyTransaction(world.parameters.chainId, older.packed)));
    assert.ok(refusal !== undefined, 'an older switch is refused');
    world.run(30);
    assert.equal(parted.key, keyOf('again'));

    again.kill();
    world.run(70);
    assert.equal(parted.key, keyOf('fresh'), 'the new standby takes over, and not the old one');
    assert.ok((fresh.options.journal?.lastSlot(world.parameters.chainId, keyOf('fresh')) ?? 0) > 0);
    world.runUntilTogether(60);
  });
}
