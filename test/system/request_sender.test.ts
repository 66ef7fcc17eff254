import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Fault } from '../../src/base/fault.ts';
import { NetworkClient } from '../../src/node/network/network_client.ts';
import type { FromNetwork, NetworkView, ToNetwork } from '../../src/node/network/network_messages.ts';
import type { HeaderJudgement } from '../../src/p2p/environment/chain_access.ts';
import type { FromWriter, ToWriter } from '../../src/node/threads/messages.ts';
import { WriterClient } from '../../src/node/threads/writer/writer_client.ts';
import { directPorts } from '../../src/system/direct_ports.ts';

const GONE = new Fault('runtime', 'it has ended');
const VIEW: NetworkView = { isDone: true, peers: [], bans: [] };
const ANSWER: readonly string[] = ['id'];

/** The front's end of a thread, which answers when the test wants it to, and what it was asked. */
interface Asked {
  readonly ask: () => Promise<unknown>;
  readonly answer: (ticket: number) => void;
  readonly fail: () => void;
  readonly tickets: readonly number[];
  readonly expected: unknown;
}

function writer(): Asked {
  const [near, far] = directPorts<FromWriter, ToWriter>();
  const tickets: number[] = [];
  far.listen((message) => ('ticket' in message ? void tickets.push(message.ticket) : undefined));
  const nothing = (): void => undefined;
  const client = new WriterClient(near, {
    verdicts: nothing,
    verifierLoaded: nothing,
    unverified: nothing,
    dropped: nothing,
    produced: nothing,
    alive: nothing,
    finality: nothing,
    voting: nothing,
    finalised: nothing,
    production: nothing,
    standbySwitch: nothing,
    failed: nothing,
  });
  return {
    ask: async () => await client.ask({ kind: 'lost', ids: [] }),
    answer: (ticket) => far.post({ kind: 'answer', to: 'lost', ticket, value: ANSWER }),
    fail: () => client.fail(GONE),
    tickets,
    expected: ANSWER,
  };
}

function network(): Asked {
  const [near, far] = directPorts<FromNetwork, ToNetwork>();
  const tickets: number[] = [];
  far.listen((message) => (message.kind === 'ask' ? void tickets.push(message.ticket) : undefined));
  const never = async (): Promise<never[]> => await Promise.resolve([]);
  const judge = async (): Promise<HeaderJudgement> => await Promise.resolve({ kind: 'known' });
  const blocks = { submit: never, judge, verifyPacked: never, submitVerified: never };
  const takeAlive = async (): Promise<boolean> => await Promise.resolve(false);
  const ignored = {
    blocks,
    takeAlive,
    transactions: { submit: never },
    failed: () => undefined,
    told: () => undefined,
    standbySwitch: () => undefined,
    heardVotes: () => undefined,
  };
  const client = new NetworkClient(near, { ...ignored, end: async () => await Promise.resolve() });
  return {
    ask: async () => await client.order({ kind: 'show' }),
    answer: (ticket) => far.post({ kind: 'answer', to: 'order', ticket, value: VIEW }),
    fail: () => client.fail(GONE),
    tickets,
    expected: VIEW,
  };
}

for (const [name, start] of Object.entries({ writer, network })) {
  test(`what the ${name} was asked is answered in any order`, async () => {
    const { ask, answer, tickets, expected } = start();
    const [first, second] = [ask(), ask()];
    for (const ticket of tickets.toReversed()) answer(ticket);
    assert.deepEqual(await Promise.all([first, second]), [expected, expected]);
  });

  test(`whoever waits for the ${name} hears that it has failed, and whoever asks later hears it at once`, async () => {
    const { ask, fail, tickets } = start();
    const waiting = [ask(), ask()];
    fail();
    for (const one of waiting) await assert.rejects(one, GONE);
    await assert.rejects(ask(), GONE);
    assert.equal(tickets.length, 2);
  });

  test(`when the ${name} answers nobody, no more questions are taken than it could be busy with`, async () => {
    const { ask, fail, tickets } = start();
    const waiting = Array.from({ length: 10_001 }, ask);
    const outcomes = Promise.allSettled(waiting);
    await assert.rejects(waiting.at(-1) ?? assert.fail(), { code: 'runtime', message: `the ${name} does not answer` });
    assert.ok(tickets.length > 0 && tickets.length <= 10_000);
    fail();
    assert.ok((await outcomes).every(({ status }) => status === 'rejected'));
  });
}
