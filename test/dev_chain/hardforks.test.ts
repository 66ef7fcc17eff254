import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Fault } from '../../src/base/fault.ts';
import { devChain, type DevChain, type GivenOperation } from '../../src/dev_chain/dev_chain.ts';
import { DataFolder } from '../../src/data_folder/data_folder.ts';
import { chainFolder, openDevChain, type DevPlace } from '../../src/dev_chain/dev_folder.ts';
import { readPlannedHardforks } from '../../src/dev_chain/dev_genesis.ts';
import { profileNamed } from '../../src/settings/chain_settings.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'pharos-dev-hardforks-'));
after(() => rmSync(dataDir, { recursive: true, force: true }));

/** A name seed is limited in length from the hardfork interestVotes on. */
function longSeed({ accounts }: DevChain, letter: string): GivenOperation {
  const key = accounts['alice']?.publicKey ?? assert.fail();
  const authority = { weight_threshold: 1, account_auths: [], key_auths: [[key, 1] as const] };
  return [
    'account_create',
    {
      ...{ fee: '1.000000 COIN', creator: 'alice', name_seed: letter.repeat(40) },
      ...{ owner: authority, active: authority, memo_key: key, json_metadata: '' },
    },
  ];
}

test('a development chain applies hardforks with the blocks that its user names, and follows their rules behind them', async (context) => {
  const chain = await devChain({ mining: 'none', hardforks: { bandwidth: 9, interestVotes: 5 } });
  context.after(() => chain.stop());
  const key = chain.accounts['alice']?.key ?? assert.fail();
  const state = async (): Promise<unknown> => {
    const found = await chain.call('database_api.get_hardfork_properties', {});
    const planned = found.planned.map(({ name, block_num: block }) => `${name}@${block}`);
    return [found.current_hardfork_version, found.last_hardfork, planned];
  };
  await chain.mine(4);
  assert.deepEqual(await state(), ['1.0.0', 0, ['interestVotes@5', 'bandwidth@9']]);
  await chain.client.send([longSeed(chain, 'a')], [key], undefined, { waitFor: 'accepted' });
  await chain.mine(1);
  assert.deepEqual(await state(), ['1.1.0', 1, ['bandwidth@9']]);
  await assert.rejects(chain.send([longSeed(chain, 'b')], [key]), { code: 'name_seed_too_large' });
  await chain.mine(3);
  assert.deepEqual(await state(), ['1.1.0', 1, ['bandwidth@9']]);
  await chain.mine(1);
  assert.deepEqual(await state(), ['1.2.0', 2, []]);
  const { processed_hardforks: times } = await chain.call('database_api.get_hardfork_properties', {});
  assert.equal(new Set(times).size, 3, 'each has the time of its block');
});

test('taking blocks back takes back the hardfork, and it comes again', async (context) => {
  const chain = await devChain({ mining: 'none', hardforks: { bandwidth: 3 } });
  context.after(() => chain.stop());
  const versions = async (): Promise<string> =>
    (await chain.call('database_api.get_hardfork_properties', {})).current_hardfork_version;
  await chain.mine(1);
  const snapshot = await chain.call('debug_api.snapshot', {});
  await chain.mine(2);
  assert.equal(await versions(), '1.2.0');
  await chain.call('debug_api.revert', snapshot);
  assert.equal(await versions(), '1.1.0');
  await chain.mine(2);
  assert.equal(await versions(), '1.2.0');
});

test('a plan that no chain can follow is refused with what is wrong', async () => {
  const wrong: readonly (readonly [Record<string, unknown>, RegExp])[] = [
    [{ bandwith: 5 }, /no hardfork "bandwith", only interestVotes, bandwidth; did you mean bandwidth\?/],
    [{ interestVotes: 5 }, /bandwidth is missing: it comes after interestVotes, so its block has to be named as well/],
    [
      { interestVotes: 9, bandwidth: 5 },
      /bandwidth: it comes after interestVotes, so block 9 or a later one expected, got 5/,
    ],
    [{ bandwidth: 0 }, /bandwidth: the first block has number 1, so block 1 or a later one expected, got 0/],
    [{ bandwidth: 1.5 }, /bandwidth: a block from 1 to 4294967295 expected, got 1\.5/],
    [{ bandwidth: '9' }, /bandwidth: a block from 1 to 4294967295 expected, got "9"/],
  ];
  for (const [hardforks, message] of wrong)
    await assert.rejects(
      devChain({ hardforks: hardforks as Record<string, number> }),
      (error) => error instanceof Fault && error.code === 'configuration' && message.test(error.message),
      JSON.stringify(hardforks),
    );
  await assert.rejects(
    devChain({ hardforks: [] as unknown as Record<string, number> }),
    /hardforks: an object of blocks/,
  );
});

test('a chain keeps the plan that it was made with, whatever the next start says', async () => {
  const profile = profileNamed('default');
  const place: DevPlace = { dataDir, fresh: false, hardforks: [{ name: 'bandwidth', block: 7 }] };
  const folder = await DataFolder.lock(chainFolder(dataDir), 'dev');
  try {
    const made = openDevChain(place, profile, folder);
    assert.deepEqual(readPlannedHardforks(made.genesisText), [{ name: 'bandwidth', block: 7 }]);
    for (const hardforks of [undefined, [{ name: 'bandwidth', block: 7 }]])
      assert.equal(openDevChain({ ...place, hardforks }, profile, folder).genesisText, made.genesisText);
    for (const hardforks of [
      [{ name: 'bandwidth', block: 8 }],
      [
        { name: 'interestVotes', block: 7 },
        { name: 'bandwidth', block: 7 },
      ],
    ])
      assert.throws(
        () => openDevChain({ ...place, hardforks }, profile, folder),
        /was made with --hardfork bandwidth@7: leave the flag out, start over with --fresh, or begin a fork/,
      );
  } finally {
    folder.release();
  }
});
