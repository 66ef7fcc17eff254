import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { systemClock, type Clock } from '../../src/base/clock.ts';
import { Fault } from '../../src/base/fault.ts';
import { devGenesisText } from '../../src/dev_chain/dev_genesis.ts';
import { readParameters, profileNamed } from '../../src/settings/chain_settings.ts';
import { beginWithSnapshot, requireHeader } from '../../src/snapshot/begin_with_snapshot.ts';
import { openSnapshot } from '../../src/snapshot/read_snapshot.ts';
import { writeSnapshot } from '../../src/snapshot/write_snapshot.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { openChain } from '../builders/chain.ts';
import { RandomSource } from '../builders/random_source.ts';
import { FileServer } from '../builders/file_server.ts';
import { formSize, isLong } from '../builders/forms.ts';
import { silentLog } from '../builders/silent_log.ts';
import { produceNext } from '../builders/stopped_chain.ts';

/** Chains whose files differ in each byte that is packed. Longer runs: `PHAROS_TEST_SEEDS=50`. */
const SEEDS = Array.from({ length: formSize('PHAROS_TEST_SEEDS', { short: 2, long: 3 }) }, (_, index) => index + 1);
const BLOCKS = 60;
/** All bits of so many bytes at the end: the last rows, their sum, and that of the file. */
const NEAR_END = isLong ? 400 : 110;
/** Those of a byte in so many. */
const EACH_NEAR_END = isLong ? 1 : 11;
/** Of the other bits one of so many. */
const STRIDE = isLong ? 31 : 4093;
const EACH_CUT = isLong ? 7 : 127;
const BEGUN = 4;
/** An escape of a terminal, a byte of nothing, half a character. */
const SPOILS = /[^\P{Cc}\n]|\ufffd/u;
const REMEDY = /get another copy, or have a node write one with pharos snapshot create$/;

const folder = mkdtempSync(join(tmpdir(), 'pharos-damaged-snapshots-'));
const path = join(folder, 'state.avro');
let server: FileServer;

before(async () => {
  server = await FileServer.open();
});

after(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A file of a young chain, as `pharos snapshot create` writes it. */
async function written(seed: number): Promise<Buffer> {
  const dev = devGenesisText(profileNamed('default'), 1_790_000_000 + seed * 977);
  const genesis = JSON.stringify({ ...JSON.parse(dev), block_interval: 3 });
  const parameters = readParameters({ profileName: 'default', genesisText: genesis, initialSigningKey: undefined });
  const store = new MemoryStore();
  const chain = openChain(parameters, store);
  while (chain.head.number < BLOCKS) produceNext(chain);
  await writeSnapshot(path, { store, parameters, genesis, withBlocks: seed % 2 === 0 });
  return readFileSync(path);
}

/** All that is in a file, as a node reads it that begins with it. */
function snapshotContent(bytes: Uint8Array): string {
  writeFileSync(path, bytes);
  requireHeader(path, { profile: 'default', chainId: undefined });
  const { header, chunks } = openSnapshot(path);
  return JSON.stringify([header, [...chunks].map(({ seal }) => seal)]);
}

/** Returns the error about a damage; undefined when the content is the same all the same. */
function damageError(sound: string, bytes: Uint8Array, what: string): string | undefined {
  let content: string;
  try {
    content = snapshotContent(bytes);
  } catch (error) {
    assert.ok(error instanceof Fault, `${what}: ${String(error)}`);
    const { code, message } = error;
    assert.deepEqual(
      [code, message.includes(path), REMEDY.test(message), SPOILS.test(message)],
      ['damaged_data', true, true, false],
      `${what}: ${message}`,
    );
    return message;
  }
  assert.equal(content, sound, `${what} has another content`);
  return undefined;
}

function flipped(bytes: Buffer, at: number, bit: number): Buffer {
  const damaged = Buffer.from(bytes);
  damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
  return damaged;
}

/** Bits all over the file, and all bits of bytes near its end. */
function* someBits(bytes: Buffer, seed: number): Generator<readonly [number, number]> {
  for (let bit = seed; bit < bytes.length * 8; bit += STRIDE) yield [Math.trunc(bit / 8), bit % 8];
  for (let at = bytes.length - NEAR_END + (seed % EACH_NEAR_END); at < bytes.length; at += EACH_NEAR_END)
    for (let bit = 0; bit < 8; bit++) yield [at, bit];
}

async function beginDownload(place: string, bytes: Buffer, etag: string): Promise<void> {
  server.files.set('/state.avro', { bytes, etag });
  const voucher = { isOwn: true, sha256: undefined, signedBy: [] };
  const beginning = {
    source: server.url('/state.avro'),
    voucher,
    chainId: undefined,
    profile: 'default',
    folder: join(place, 'chain'),
  };
  await beginWithSnapshot(beginning, { clock: systemClock, log: silentLog });
}

function isDamage(error: unknown): boolean {
  return error instanceof Fault && error.code === 'damaged_data' && REMEDY.test(error.message);
}

for (const seed of SEEDS) {
  test(`a flipped bit is told as a damage of that file with what to do, or changes nothing (seed ${seed})`, async () => {
    const bytes = await written(seed);
    const sound = snapshotContent(bytes);
    let [told, all] = [0, 0];
    for (const [at, bit] of someBits(bytes, seed)) {
      all++;
      if (damageError(sound, flipped(bytes, at, bit), `bit ${bit} of byte ${at} of ${bytes.length}`) !== undefined)
        told++;
    }
    // Remarks in the schema may say anything.
    assert.ok(told > all * 0.8, `${told} of ${all}`);
  });

  test(`a file that is cut off anywhere is told as damaged, and so is one with more behind its end (seed ${seed})`, async () => {
    const bytes = await written(seed);
    const sound = snapshotContent(bytes);
    for (let length = 0; length < bytes.length; length += EACH_CUT)
      assert.ok(
        damageError(sound, bytes.subarray(0, length), `the first ${length} of ${bytes.length} bytes`) !== undefined,
        `${length} bytes`,
      );
    for (const more of [1, 16, bytes.length])
      assert.ok(
        damageError(sound, Buffer.concat([bytes, bytes.subarray(0, more)]), `${more} bytes more`) !== undefined,
      );
  });

  test(`a node that begins with a damaged file leaves nothing behind (seed ${seed})`, async () => {
    const bytes = await written(seed);
    const sound = snapshotContent(bytes);
    const randomSource = new RandomSource(seed);
    for (let begun = 0; begun < BEGUN;) {
      const at = bytes.length - 1 - randomSource.roll(NEAR_END);
      const damaged = flipped(bytes, at, randomSource.roll(8));
      if (damageError(sound, damaged, `byte ${at}`) === undefined) continue;
      begun++;
      const place = join(folder, 'place');
      await assert.rejects(beginDownload(place, damaged, `"${begun}"`), isDamage, `byte ${at}`);
      assert.deepEqual(readdirSync(place), [], `byte ${at}`);
    }
  });
}

test('a whole file stays for the next start while its signature can not be fetched', async () => {
  const bytes = await written(1);
  server.files.set('/state.avro', { bytes, etag: '"whole"' });
  server.files.set('/state.avro.sig', { bytes, status: 503 });
  const place = join(folder, 'signed');
  const voucher = { isOwn: false, sha256: undefined, signedBy: ['a key'] };
  const beginning = {
    source: server.url('/state.avro'),
    voucher,
    chainId: undefined,
    profile: 'default',
    folder: join(place, 'chain'),
  };
  const clock: Clock = {
    ...systemClock,
    after: (ms, run, keeps) => systemClock.after(ms < 20_000 ? 0 : ms, run, keeps),
  };
  const begin = async (): Promise<void> => await beginWithSnapshot(beginning, { clock, log: silentLog });
  await assert.rejects(
    begin(),
    (error) => error instanceof Fault && error.code === 'runtime' && /state\.avro\.sig/.test(error.message),
  );
  assert.deepEqual(readdirSync(place), ['chain.snapshot', 'chain.snapshot.from']);
  const asked = server.asked.length;
  server.files.set('/state.avro.sig', { bytes: Buffer.from('{}') });
  await assert.rejects(begin(), (error) => error instanceof Fault && error.code === 'configuration');
  assert.deepEqual([server.asked.length, readdirSync(place)], [asked + 1, []]);
});
