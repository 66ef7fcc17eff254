import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Fault } from '../../src/base/fault.ts';
import { DataFolder } from '../../src/data_folder/data_folder.ts';
import { chainFolder, genesisPath, openDevChain, type DevPlace } from '../../src/dev_chain/dev_folder.ts';
import { profileNamed } from '../../src/settings/chain_settings.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'pharos-dev-folder-'));
after(() => rmSync(dataDir, { recursive: true, force: true }));

const place: DevPlace = { dataDir, fresh: false, accounts: 3, seed: undefined };
const profile = profileNamed('default');

test('a damaged genesis is told by file, place and remedy, in ten ways', async () => {
  const folder = await DataFolder.lock(chainFolder(dataDir), 'dev');
  try {
    const file = genesisPath(dataDir);
    const { genesisText: sound } = openDevChain(place, profile, folder);
    assert.equal(openDevChain(place, profile, folder).genesisText, sound);
    const half = Math.trunc(sound.length / 2);
    const damages: Readonly<Record<string, string | Buffer>> = {
      'it is empty': '',
      'it ends after one byte': sound.slice(0, 1),
      'it ends in the middle': sound.slice(0, half),
      'its last brace is gone': sound.trimEnd().slice(0, -1),
      'all its bytes are zeros': Buffer.alloc(sound.length),
      'zeros stand at its end': Buffer.concat([Buffer.from(sound.slice(0, half)), Buffer.alloc(half)]),
      'other bytes stand behind it': `${sound}\n{}`,
      'other bytes stand before it': `\0${sound}`,
      'it is no UTF-8': Buffer.concat([Buffer.from('{"'), Buffer.from([0xff, 0xfe]), Buffer.from(sound.slice(1))]),
      'it is a list': '[]',
      'it is null': 'null',
      'a list in it is a number': sound.replace(/"initial_accounts":\s*\[[^\]]*\]/, '"initial_accounts":7'),
    };
    for (const [damage, bytes] of Object.entries(damages)) {
      writeFileSync(file, bytes);
      assert.throws(
        () => openDevChain(place, profile, folder),
        (error) => {
          assert.ok(error instanceof Fault, `${damage}: ${String(error)}`);
          assert.equal(error.code, 'damaged_data', damage);
          assert.ok(error.message.startsWith(`${file} is damaged: the genesis file: `), `${damage}: ${error.message}`);
          assert.match(error.message, /; put it back from a copy, or start over with --fresh$/, damage);
          return true;
        },
        damage,
      );
      assert.deepEqual(readFileSync(file), Buffer.from(bytes), `${damage}: the file is left as it is`);
    }
  } finally {
    folder.release();
  }
});

test('a genesis that wants votes is refused, because a development chain has none', async () => {
  const own = { ...place, dataDir: join(dataDir, 'voting') };
  const folder = await DataFolder.lock(chainFolder(own.dataDir), 'dev');
  try {
    const { genesisText } = openDevChain(own, profile, folder);
    const members: Record<string, unknown> = JSON.parse(genesisText);
    assert.equal(members['finality'], false);
    const file = genesisPath(own.dataDir);
    for (const finality of [true, undefined]) {
      writeFileSync(file, JSON.stringify({ ...members, finality }));
      assert.throws(
        () => openDevChain(own, profile, folder),
        (error) =>
          error instanceof Fault &&
          error.code === 'configuration' &&
          error.message.startsWith(`${file}: a development chain owns its time and has no votes`) &&
          error.message.includes('write "finality": false into it'),
      );
    }
  } finally {
    folder.release();
  }
});
