import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { at, listMember, numberMember, textMember, type Json } from './json.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

const site = new Site();
after(() => site.clear());

const run = promisify(execFile);

/** The lines below a heading that ends the banner. */
function sectionLines(text: string, heading: string): readonly string[] {
  const from = text.indexOf(`${heading}\n`);
  assert.ok(from >= 0, text);
  const lines = text.slice(from + heading.length + 1).split('\n');
  return lines
    .slice(
      0,
      Math.max(
        lines.findIndex((line) => !line.startsWith('  ')),
        0,
      ),
    )
    .map((line) => line.trim());
}

const TRY = 'Try in another terminal, one after the other:';
const OPEN = 'Open in a browser:';

async function typed(line: string): Promise<Json> {
  const result: Json = JSON.parse((await run('sh', ['-c', line], { cwd: site.folder })).stdout);
  return result;
}

test('the three lines that a start prints follow on each other, typed as they stand there', async () => {
  const program = await site.dev('--silent', '--seed', 'first', '--accounts', '12');
  const lines = sectionLines(program.stdout, TRY);
  assert.equal(lines.length, 3, program.stdout);
  const [account = '', transfer = '', block = ''] = lines;
  assert.equal(textMember(listMember(await typed(account), 'account')[0] ?? null, 'name'), 'alice');
  const sent = at(await typed(transfer), 'signed_tx');
  const holding = at(await typed(block), 'block');
  assert.deepEqual(listMember(holding, 'transaction_ids'), [textMember(sent, 'transaction_id')]);
  assert.equal(Number.parseInt(textMember(holding, 'block_id').slice(0, 8), 16), numberMember(sent, 'block_num'));

  const addresses = sectionLines(program.stdout, OPEN).map((line) => line.split(/\s+/)[0] ?? '');
  assert.equal(addresses.length, 2);
  for (const address of addresses) {
    const page = await fetch(address, { headers: { accept: 'text/html' } });
    assert.deepEqual([page.status, /<html/.test(await page.text())], [200, true], address);
  }
  // Nothing stands below the lines but empty ones.
  assert.equal(program.stdout.slice(program.stdout.indexOf(block) + block.length).trim(), '');
  assert.equal(program.stdout.split('\n').filter((line) => /^ {2}\w+ +5[1-9A-Za-z]{50} /.test(line)).length, 3);
  assert.equal(await program.stop(), 0);
});

test('where blocks are made by order, who sends is told how to order one', async () => {
  const program = site.start(['dev', '--data-dir', site.path('ordered'), '--port', '0', '--no-mining', '--silent']);
  await program.ready();
  const [, transfer = ''] = sectionLines(program.stdout, TRY);
  const order =
    /^Who sends waits for a block\. Order one: (.+)$/m.exec(program.stdout)?.[1] ?? assert.fail(program.stdout);
  const sent = typed(transfer);
  let isSent = false;
  void sent.then(() => (isSent = true));
  await waitUntil('a block with the transfer', async () => {
    await typed(order);
    return isSent || undefined;
  });
  assert.equal(textMember(at(at(await sent, 'signed_tx'), 'operations.0'), '1.from'), 'alice');
  assert.equal(await program.stop(), 0);
});

test('a member of a result is printed alone, and one that is not there is named', async () => {
  const program = await site.dev('--silent', '--data-dir', site.path('members'));
  const call = async (path: string) =>
    await site.run([
      'call',
      'alexandria_api.get_account',
      '{"account_name":"bob"}',
      '--url',
      `http://127.0.0.1:${program.port}`,
      '--member',
      path,
    ]);
  assert.deepEqual(await call('account.0.balance'), { code: 0, stdout: '10000000.000000 COIN\n', stderr: '' });
  const missing = await call('account.0.balanc');
  assert.equal(missing.code, 2);
  assert.match(
    missing.stderr,
    /^pharos: --member account\.0\.balanc: the result has no balanc there; members there: id, name, /,
  );
  assert.match((await call('account.length')).stderr, /the result has no length there; members there: 0\n$/);
  assert.equal(await program.stop(), 0);
});
