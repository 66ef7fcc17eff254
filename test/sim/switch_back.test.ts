import assert from 'node:assert/strict';
import { test } from 'node:test';

import { catchRefusal } from '../../src/base/refusal.ts';
import { readKeySwitch } from '../../src/blocks/key_switch.ts';
import { verifyTransaction } from '../../src/blocks/verify.ts';
import { testKey, makeTransaction } from '../builders/chain.ts';
import { MemoryJournal } from '../builders/memory_journal.ts';
import { witnessUpdate } from '../builders/parted_witnesses.ts';
import { isLong } from '../builders/forms.ts';
import { activeStandby, DOUBLED, FailoverWorld } from './failover_world.ts';
import { chooseSeeds } from './seeds.ts';

for (const seed of chooseSeeds(1, ...(isLong ? [2] : []))) {
  test(`after switching back an older switch is refused, its standby never takes over again, and a new one does (seed ${seed})`, () => {
    const parted = new FailoverWorld(seed);
    const { world, active, observer, standbys } = parted;
    parted.getReady();
    active.kill();
    world.run(70);
    assert.equal(parted.key, testKey('standby0'));

    const older =
      readKeySwitch(Buffer.from(standbys[0]?.options.standby?.kept.read()?.packed ?? '', 'hex')) ??
      assert.fail('it had one');

    // Back to the first machine, with a key that nobody has used, and a standby with another one.
    observer.post(makeTransaction(observer.chain, world.parameters, [witnessUpdate(DOUBLED, 'again')], [DOUBLED]));
    const again = world.add({
      ...{ name: 'again', keyName: 'again', witnesses: [DOUBLED], journal: new MemoryJournal() },
      standby: activeStandby(['standby0', 'fresh']),
    });
    parted.active = again;
    const fresh = parted.addStandby('fresh', 'fresh');
    world.run(60);
    assert.equal(parted.key, testKey('again'));
    assert.equal(standbys[0]?.duties?.report().standby?.obstacle, 'key_used');

    const refusal = catchRefusal(() => observer.post(verifyTransaction(world.parameters.chainId, older.packed)));
    assert.ok(refusal !== undefined, 'an older switch is refused');
    world.run(30);
    assert.equal(parted.key, testKey('again'));

    again.kill();
    world.run(70);
    assert.equal(parted.key, testKey('fresh'), 'the new standby takes over, and not the old one');
    assert.ok((fresh.options.journal?.lastSlot(world.parameters.chainId, testKey('fresh')) ?? 0) > 0);
    world.runUntilTogether(60);
  });
}
