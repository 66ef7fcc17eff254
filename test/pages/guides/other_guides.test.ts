import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connect, type Client } from '../../../src/client/index.ts';
import { waitUntil } from '../../outside/wait_until.ts';
import { Reader } from './reader.ts';

// Types the commands of the guides. Blocks come sooner here than every three seconds.
const SLOT_MS = 500;
const READY = /Ctrl-C stops/;

async function following(
  name: string,
  read: (reader: Reader, commands: readonly string[]) => Promise<void>,
  started = READY,
): Promise<void> {
  const reader = await Reader.of(name);
  try {
    const [start = '', ...commands] = reader.guide.commands;
    if (started !== READY) await reader.start(start, started);
    else {
      assert.equal(start, 'npm start');
      await reader.start(`${start} -- --block-interval-ms ${SLOT_MS}`, started);
    }
    await read(reader, commands);
  } finally {
    await reader.leave();
  }
}

async function asking<T>(reader: Reader, ask: (node: Client) => Promise<T>): Promise<T> {
  const node = await connect(`http://127.0.0.1:${reader.port('9193')}`);
  try {
    return await ask(node);
  } finally {
    node.close();
  }
}

// Each has a chain of its own, and mostly waits for its blocks.
describe('guides', { concurrency: true }, () => {
  test('documents are written, read in pages and followed, and a second start goes on behind the last', async () => {
    await following('documents', async (reader, [write = '', list = '', read = '', follow = '', ...more]) => {
      assert.deepEqual(more, []);
      await reader.run(write);
      const page: readonly [number, { readonly binary: boolean }][] = JSON.parse(await reader.run(list));
      assert.deepEqual(
        page.map(([number, { binary }]) => [number, binary]),
        [
          [2, false],
          [3, true],
        ],
      );
      assert.equal(
        await reader.run(read),
        'by_recipient_reverse 1 and 2\nby_recipient_reverse 3\nby_recipient_datetime 2 and 3\nby_recipient_datetime 1\n',
      );
      const stop = await reader.start(follow, /^1: JSON \{"number":1\}\n2: JSON \{"number":2\}\n3: bytes AP8=\n/);
      await stop();
      await reader.run(write);
      // It may have been stopped between the line of the third and the note of it.
      await reader.start(
        follow,
        /^(?:3: bytes AP8=\n)?4: JSON \{"number":1\}\n5: JSON \{"number":2\}\n6: bytes AP8=\n/,
      );
    });
  });

  test('a payment is proven to a program that trusts no node, and what nothing proves is refused', async () => {
    await following(
      'trust_no_node',
      async (reader, [name = '', wait = '', pay = '', show = '', balance = '', ...more]) => {
        assert.deepEqual(more, []);
        await waitUntil('a checkpoint', async () => await reader.run(name).catch(() => undefined));
        // A payment that is final before the program listens would be told before it says that it waits.
        await reader.start(wait, /^waiting\n$/);
        assert.match(await reader.run(pay), /^[0-9a-f]{40}\n$/);
        await reader.hears(
          wait,
          /^waiting\nalice has paid 2\.500000 COIN for order 7, proven in block \d+\nthe newest final block is \d+ s old\n/,
        );
        assert.match(await reader.run(show), /2\.500000 COIN\n/);
        assert.match(await reader.run(balance), /nothing_proves[^]*not proven\n$/);
      },
      /listening on/,
    );
  });

  test('an account becomes a witness, is voted for, and its status says so', async () => {
    await following('witness', async (reader, commands) => {
      assert.equal(commands.length, 5);
      const [keep = '', create = '', vest = '', vote = '', status = ''] = commands;
      await reader.run(keep);
      assert.match(await reader.run(create), /private-key-file/);
      for (const command of [vest, vote]) assert.match(await reader.run(command), /transaction_id/);
      await waitUntil('the vote', async () => {
        const witness = await asking(
          reader,
          async (node) => (await node.call('alexandria_api.get_witness', { owner_account: 'alice' })).witness,
        );
        return witness !== undefined && witness.votes > 0n ? true : undefined;
      });
      assert.match(await reader.run(status), /alice[^]*votes/);
    });
  });
});
