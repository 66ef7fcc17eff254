import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SampleReader } from '../../bench/costs/frames.ts';
import { costsPage, explainedShare, type CostSheet } from '../../bench/costs/sheet.ts';
import { findStep } from '../../bench/costs/steps.ts';
import { newestSymbols } from '../../bench/costs/symbol_map.ts';

const project = new URL('../../../', import.meta.url);
const readText = (path: string): string => readFileSync(new URL(path, project), 'utf8');
const kept: CostSheet = JSON.parse(readText('bench/costs.json'));

test('the page of costs is drawn from the kept sheet', () => {
  assert.equal(readText('bench/costs.md'), costsPage(kept));
});

test('the sheet explains 90 % of the CPU time of each load: the mix, plain, memos, one a post, and a follower', () => {
  assert.equal(kept.loads.length, 5);
  for (const load of kept.loads) assert.ok(explainedShare(load) >= 0.9, load.load);
});

const step = (...stack: readonly string[]): string => {
  const sample = new SampleReader().read(['MainThread  12  34.5: ', ...stack]) ?? assert.fail();
  assert.deepEqual([sample.thread, sample.seconds], [12, 34.5]);
  return findStep(sample.frames);
};

test('the innermost frame that a rule knows names the step of a sample', () => {
  const object = '(/usr/bin/node)';
  const hash = `7f JS:*'hash node:internal/crypto/hash:294:14 (perf-1.map)`;
  assert.equal(step(`1 malloc ${object}`, hash, `2 Builtins_JSEntry ${object}`), 'digest, id, leaf');
  assert.equal(step(`1 v8::internal::Scavenger::Process ${object}`, hash), 'collector');
  assert.equal(step(`1 asm_exc_page_fault ([kernel.kallsyms])`, hash), 'digest, id, leaf');
  assert.equal(
    step('1 tcp_sendmsg ([kernel.kallsyms])', '2 __x64_sys_sendto ([kernel.kallsyms])', hash),
    'HTTP: sockets, in the kernel',
  );
  assert.equal(step('1 nobody_knows ([unknown])'), 'other');
});

test('code that stands where other code stood before has its own name alone', () => {
  const placed = [
    '1000 20 old whole',
    '1020 20 kept',
    '2ff0 2010 old over pages',
    '1010 8 new inside',
    '4fff 1 new at the end',
  ];
  assert.equal(newestSymbols(placed.join('\n')), '1010 8 new inside\n1020 20 kept\n4fff 1 new at the end\n');
});
