import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { hasUws } from './has_uws.ts';
import { at, optionalMember, numberMember, textMember, type Json } from './json.ts';
import type { Program } from './program.ts';
import { Site } from './site.ts';

const site = new Site();

after(() => site.clear());

const PROPERTIES = 'alexandria_api.get_dynamic_global_properties';

interface Told {
  readonly said: Json;
  readonly header: string | null;
}

async function ask(program: Program, body: object, minHead?: string): Promise<Told> {
  const headers = {
    'content-type': 'application/json',
    ...(minHead === undefined ? {} : { 'X-Pharos-Min-Head': minHead }),
  };
  const response = await fetch(`http://127.0.0.1:${program.port}/`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  const said: Json = JSON.parse(await response.text());
  return { said, header: response.headers.get('x-pharos-head') };
}

const read = (more: object = {}): object => ({ jsonrpc: '2.0', id: 1, method: PROPERTIES, params: {}, ...more });

/** The head in a result of `read`, as the header has it. */
function formatLine(said: Json): string {
  const properties = at(said, 'result.properties');
  return `${numberMember(properties, 'head_block_number')} ${textMember(properties, 'head_block_id')}`;
}

test('a call waits for the block that it wants, over HTTP and WebSocket, and is told the head that it was read from', async () => {
  const program = site.start(['dev', '--data-dir', site.path('heads'), '--port', '0', '--no-mining']);
  await program.ready();
  const produce = async (): Promise<number> =>
    numberMember(await program.result('debug_api.produce_blocks', { count: 1 }), 'head_block_number');
  const first = await produce();
  const plain = await ask(program, read());
  assert.equal(plain.header, null);
  assert.equal(optionalMember(plain.said, 'head'), undefined);

  const socket = await program.socket();
  const waiting = [
    ask(program, read(), String(first + 1)),
    ask(program, read({ min_head: first + 1 })),
    ask(program, [read(), read({ id: 2, min_head: first + 1 })]).then(({ said, header }) => ({
      said: at(said, '1'),
      header,
    })),
  ];
  socket.send(JSON.stringify(read({ min_head: first + 1 })));
  socket.send(JSON.stringify(read({ id: 7 })));
  // What doesn't wait is answered before what does.
  assert.equal(at(JSON.parse(await socket.next()), 'id'), 7);
  assert.equal(await produce(), first + 1);
  const now = formatLine((await ask(program, read())).said);
  for (const answer of waiting) assert.equal(formatLine((await answer).said), now);
  assert.equal((await waiting[0])?.header, now);
  const told: Json = JSON.parse(await socket.next());
  assert.deepEqual([formatLine(told), at(told, 'id')], [now, 1]);
  assert.equal(`${numberMember(told, 'head.number')} ${textMember(told, 'head.id')}`, now);

  // By id, and what can't be waited for.
  const id = now.slice(now.indexOf(' ') + 1);
  assert.equal((await ask(program, read(), id)).header, now);
  for (const [minHead, name] of [
    [`${id.slice(0, 8)}${'0'.repeat(32)}`, 'head_of_another_branch'],
    ['1000000', 'head_out_of_reach'],
    ['soon', 'bad_min_head'],
    [String(first + 2), 'head_not_reached'],
  ] as const) {
    const { said } = await ask(program, read(), minHead);
    assert.equal(textMember(said, 'error.data.name'), name);
  }
  socket.close();
  assert.equal(await program.stop(), 0);
});

test('head-header = always tells the head with every answer, whatever serves it', async () => {
  const key = textMember(JSON.parse((await site.run(['keys'])).stdout), 'pub_key');
  for (const server of ['node', ...(hasUws ? ['uws'] : [])]) {
    const flags = [
      '--webserver-http-endpoint',
      '127.0.0.1:0',
      '--webserver-http-server',
      server,
      '--head-header',
      'always',
    ];
    const program = site.start(['run', '--initminer-mining-pubkey', key, '--data-dir', site.path(server), ...flags]);
    await program.ready();
    for (let round = 0; round < 3; round++) {
      const { said, header } = await ask(program, read());
      assert.equal(header, formatLine(said));
    }
    assert.equal(await program.stop(), 0);
  }
  for (const wrong of [
    ['--head-header', 'never'],
    ['--ready-lag-blocks', '0'],
    ['--ready-lag-seconds', '0'],
  ]) {
    const { code, stderr } = await site.run([
      'run',
      '--initminer-mining-pubkey',
      key,
      '--data-dir',
      site.path('wrong'),
      ...wrong,
    ]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, new RegExp(`${wrong[0]?.slice(2)}: `));
  }
});
