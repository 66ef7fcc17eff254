import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { BlockLog } from '../../src/block_log/block_log.ts';
import { importBlocks } from '../../src/block_log/import_blocks.ts';
import type { VerifiedBlock } from '../../src/blocks/block.ts';
import { decodeVerifiedBlocks } from '../../src/blocks/verified_blocks.ts';
import { encodePackedItems } from '../../src/blocks/packed_items.ts';
import type { Chain } from '../../src/chain/chain.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { verifyPackedBlocks } from '../../src/verifiers/verifier_tasks.ts';
import { openChain } from '../builders/chain.ts';
import { plantHardfork } from '../builders/planted_hardfork.ts';
import { FIFTH, FIRST_VOTERS, VotedChain } from '../builders/voted_chain.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-import-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A log of these packed blocks. */
function writtenLog(packed: readonly Uint8Array[]): BlockLog {
  const path = join(folder, 'log');
  let start = 0n;
  const parts = packed.flatMap((bytes) => {
    const place = Buffer.alloc(8);
    place.writeBigUInt64LE(start);
    start += BigInt(bytes.length + place.length);
    return [bytes, place];
  });
  writeFileSync(path, Buffer.concat(parts));
  return new BlockLog(path, { stopAt: undefined });
}

/** Imports packed blocks, from the first block of a chain on. */
async function importing(parameters: ChainParameters, packed: readonly Uint8Array[]): Promise<Chain> {
  const chain = openChain(parameters);
  const log = writtenLog(packed);
  try {
    await importBlocks({
      chain,
      log,
      firstBlock: 1,
      verifiers: {
        verifyBlocks: async (some) =>
          await Promise.resolve(decodeVerifiedBlocks(verifyPackedBlocks(parameters.chainId, encodePackedItems(some)))),
      },
      lastBlock: packed.length,
      stops: new Set(),
      reached: () => undefined,
    });
    return chain;
  } finally {
    log.close();
  }
}

const packedForms = (blocks: readonly VerifiedBlock[]): Uint8Array[] => blocks.map(({ packed }) => packed.slice());

/** The place of the kind of the first operation in a packed transaction. */
const KIND_AT = 11;
const UNKNOWN_KIND = 120;

/** The blocks, the last of which has an operation of a kind that no program knows. */
function withUnknownKind(blocks: readonly VerifiedBlock[]): Uint8Array[] {
  const packed = packedForms(blocks);
  const [last, transaction] = [packed.at(-1), blocks.at(-1)?.transactions[0]];
  assert.ok(last !== undefined && transaction !== undefined);
  last[Buffer.from(last).indexOf(transaction.packed) + KIND_AT] = UNKNOWN_KIND;
  return packed;
}

test('a program that is too old for a log says so, and not that the log is damaged; it keeps the blocks before', async () => {
  const voted = new VotedChain();
  await plantHardfork('custom_json', voted.hardfork, async () => {
    const knowing = voted.open(voted.next);
    const blocks = [
      ...voted.beginning,
      ...voted.grow(knowing, [...FIRST_VOTERS, FIFTH], () => voted.isActive(knowing)),
    ];
    const activation = blocks.length;
    knowing.accept(voted.note(knowing));
    blocks.push(...voted.grow(knowing, [...FIRST_VOTERS, FIFTH], () => knowing.pendingTransactions.length === 0));
    assert.equal((await importing(voted.next, packedForms(blocks))).head.id, knowing.head.id);

    const log = withUnknownKind(blocks);
    await assert.rejects(importing(voted.old, log), {
      code: 'outdated',
      message: new RegExp(`it stops before block ${activation}, the first block that needs it`),
    });
    await assert.rejects(importing(voted.next, log), {
      code: 'damaged_data',
      message: new RegExp(
        `^block ${blocks.length} \\(.*\\) can't be read: no operation has the number ${UNKNOWN_KIND}`,
      ),
    });
  });
});
