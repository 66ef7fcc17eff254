import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { signed, transactionOf, transfer } from './signer.ts';
import { Site } from './site.ts';
import { waitFor } from './wait_for.ts';

const site = new Site();

after(() => site.clear());

/** What a scrape shows, by name and labels. */
async function scrape(url: string): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(url)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]));
}

test('figures tell how late blocks are and how long verifiers are busy', async () => {
  const program = await site.dev('--metrics-port', '0');
  const url = /metrics +(\S+)/.exec(program.stdout)?.[1] ?? assert.fail('the program has printed where its figures are');
  const trx = await signed(program, await transactionOf(program, [transfer('alice', 'bob', '1.000000')]), 'alice');
  await program.result('network_broadcast_api.broadcast_transaction_synchronous', { trx });
  const figures = await waitFor('two blocks', async () => {
    const seen = await scrape(url);
    return (seen.get('pharos_block_lateness_seconds_count') ?? 0) >= 2 ? seen : undefined;
  });
  const figure = (name: string): number => figures.get(name) ?? assert.fail(`${name} is shown`);
  assert.ok(figure('pharos_block_lateness_seconds_count') <= figure('pharos_head_block_number'));
  assert.ok(figure('pharos_block_start_lateness_seconds_sum') <= figure('pharos_block_lateness_seconds_sum'), 'making a block takes time');
  assert.equal(figure('pharos_block_lateness_seconds_bucket{le="+Inf"}'), figure('pharos_block_lateness_seconds_count'));
  assert.ok(figure('pharos_block_committed_timestamp_seconds') > 0);
  assert.ok(figure('pharos_verifier_batch_seconds_count') >= 1);
  assert.ok(figure('pharos_writer_rows') > 10, 'the accounts of the transfer and what each block looks at are in memory');
  assert.deepEqual([figure('pharos_rpc_in_flight'), figure('pharos_pending_transactions')], [0, 0]);
  assert.ok(figure('pharos_verifier_batch_seconds_sum') > 0);
  await program.stop();
});

test('blocks that are ordered are not late', async () => {
  const program = site.start(['dev', '--data-dir', site.path('ordered'), '--port', '0', '--metrics-port', '0']);
  await program.ready();
  const url = /metrics +(\S+)/.exec(program.stdout)?.[1] ?? assert.fail('the program has printed where its figures are');
  await program.result('debug_api.produce_blocks', { count: 500 });
  const figures = await scrape(url);
  assert.ok((figures.get('pharos_head_block_number') ?? 0) >= 500);
  assert.ok((figures.get('pharos_block_lateness_seconds_count') ?? Infinity) < 400);
  await program.stop();
});
