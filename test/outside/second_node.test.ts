import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from './free_port.ts';
import { agree, inStep } from './network_nodes.ts';
import { Site } from './site.ts';

const site = new Site();

after(() => site.clear());

/** The commands that the page shows for a second node, with ports that are free here. */
async function shownLines(): Promise<string[]> {
  const page = readFileSync(
    fileURLToPath(new URL('../../../src/pages/guides/development_chains.md', import.meta.url)),
    'utf8',
  );
  const block =
    /## Follow it with a second node\n[^]*?```sh\n([^]*?)```/.exec(page)?.[1] ??
    assert.fail('the page shows no second node');
  let text = block;
  for (const port of ['9290', '9195']) text = text.replaceAll(port, String(await freePort()));
  return text.trim().split('\n');
}

function splitWords(line: string): string[] {
  return (/^pharos (.*)$/.exec(line)?.[1] ?? assert.fail(line)).split(' ');
}

test('a second node is there with the four lines of the page', async () => {
  const [first = '', second = '', third = '', fourth = '', ...more] = await shownLines();
  assert.deepEqual(more, []);
  // The first one takes a port of its own here: others may run on this machine.
  const maker = site.start([...splitWords(first), '--port', '0']);
  await maker.ready();
  const follower = site.start(splitWords(second));
  await follower.ready();
  await agree([maker, follower], 0);
  await inStep(follower, 1);
  const { code, stdout } = await site.run(splitWords(third));
  assert.deepEqual([code, stdout.trim().split('\n').length], [0, 2], stdout);
  const url = /^curl -s (\S+)$/.exec(fourth)?.[1] ?? assert.fail(fourth);
  const { status } = await fetch(url);
  assert.equal(status, 200);
});
