import assert from 'node:assert/strict';
import { test } from 'node:test';
import { witnessHealth } from '../../src/client/witness_health.ts';
import { NULL_KEY, publicKeyText } from '../../src/values/public_key.ts';

const witness = {
  signing_key: 'PHR7QFCHSxewadQ1ABFsWWwQvZX7tEnwj3ikA2T9a34j8MRauZ8AU',
  last_aslot: 95n,
  last_confirmed_block_num: 90n,
};
const round = { isInRound: true, roundSize: 3, slot: 100 };

test('a witness makes its blocks, is silent, waits, or has stopped', () => {
  assert.equal(witnessHealth(witness, round).mark, 'good');
  assert.equal(witnessHealth({ ...witness, last_aslot: 93n }, round).mark, 'bad');
  assert.equal(witnessHealth({ ...witness, last_confirmed_block_num: 0n }, round).mark, 'bad');
  assert.equal(
    witnessHealth({ ...witness, last_confirmed_block_num: 0n, last_aslot: 0n }, { ...round, slot: 1 }).mark,
    'idle',
    'at the beginning',
  );
  assert.equal(witnessHealth(witness, { ...round, isInRound: false }).mark, 'idle');
  assert.match(
    witnessHealth({ ...witness, signing_key: publicKeyText(NULL_KEY, 'PHR') }, round).text,
    /no signing key/,
  );
});
