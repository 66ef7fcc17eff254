import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';

import { Chain } from '../../src/chain/chain.ts';
import { sha256 } from '../../src/crypto/hashes.ts';
import { derivePublicKey } from '../../src/crypto/keys.ts';
import { stateDump } from '../../src/block_log/state_dump.ts';
import { verifyStore } from '../../src/data_folder/verify/verify_store.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { lineageEncoding, lineageParameters, verifiedBlock, recordedBlocks } from '../builders/lineage_chain.ts';
import { recordedList, recordingPath, type Recorded } from '../builders/recordings.ts';
import { isLong } from '../builders/forms.ts';

type Line = { [name: string]: Recorded };

/** The recorded state by block number. */
function recordedStates(): Map<number, Line> {
  const lines = gunzipSync(readFileSync(recordingPath('state_trace.jsonl.gz'))).toString().trim().split('\n');
  return new Map(lines.map((line) => {
    const state: Line = JSON.parse(line);
    return [Number(state['block_num']), state];
  }));
}

/** The keys whose references the trace lists: the secret of a recorded key is the sha256 of its name. */
const tracedKeys = ['init_key', 'alice', 'updme2'].map((name) => {
  const key = derivePublicKey(sha256(Buffer.from(name)));
  assert(key !== undefined);
  return Buffer.from(key).toString('hex');
});

/** Takes out the members that the recording never fills in, or that a defect of it fills (see the recordings' README). */
function comparable(state: Line): Line {
  const accounts = recordedList(state, 'accounts').map((account) => Object.assign({}, account, { witness_votes: [] }));
  const operations = recordedList(state, 'ops_in_block').map((operation) => Object.assign({}, operation, { op_in_trx: 0 }));
  const { tag, ...rest } = state;
  assert.notEqual(tag, null);
  return { ...rest, accounts, ops_in_block: operations };
}

/** Most of the recorded kinds of operations are in the first blocks. */
const BLOCKS = isLong ? 31_317 : 4000;
const WHICH = isLong ? 'all recorded blocks' : `the first ${BLOCKS} recorded blocks`;

test(`${WHICH} replay with every check on, and every recorded state is reproduced`, () => {
  const parameters = lineageParameters();
  const store = new MemoryStore();
  const chain = new Chain({ store, parameters, durable: false });
  const states = recordedStates();
  let compared = 0;
  for (const packed of recordedBlocks().slice(0, BLOCKS)) {
    const { number } = verifiedAndPushed(chain, packed, parameters.chainId);
    const recorded = states.get(number);
    if (recorded === undefined) continue;
    const dump: Line = JSON.parse(JSON.stringify(stateDump(chain.committed, parameters, lineageEncoding, tracedKeys)));
    for (const name of Object.keys(recorded)) {
      if (name === 'tag') continue;
      assert.deepEqual(comparable(dump)[name], comparable(recorded)[name], `${name} after block ${number}`);
    }
    compared++;
  }
  assert.equal(chain.head.number, BLOCKS);
  assert.equal(compared, [...states.keys()].filter((number) => number <= BLOCKS).length);
  assert.deepEqual(verifyStore(store, parameters, () => {}).problems, []);
});

function verifiedAndPushed(chain: Chain, packed: Uint8Array, chainId: string): { readonly number: number } {
  const block = verifiedBlock(packed, chainId);
  assert.deepEqual(chain.push(block).applied, [block]);
  return block;
}
