import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeAnswers } from '../../src/wallet/daemon.ts';
import { openWallet } from '../../src/wallet/open_wallet.ts';
import { Session } from '../../src/wallet/session.ts';
import { HandClock } from '../builders/hand_clock.ts';
import { temporaryFolder } from './programs.ts';

const A_DAY_MS = 86_400_000;

test('no command of the daemon has a deadline: whenever it is done, its caller hears of it, and nothing else before', async () => {
  const clock = new HandClock(0);
  const wallet = openWallet({
    ...{
      walletFile: join(temporaryFolder(), 'wallet.json'),
      server: '',
      offline: true,
      chainId: '',
      profile: 'default',
    },
    ...{ maxFee: '1', feeSymbol: '', trustTime: false, yes: true, expirationSeconds: 0, lockAfterMinutes: 0 },
    ...{ clock, onIdleLock: () => undefined },
  });
  const ends: (() => void)[] = [];
  const slow = wallet.commands.map((command) => ({
    ...command,
    inTurn: false,
    answersOverRpc: () => true,
    run: async () => await new Promise<string>((resolve) => ends.push(() => resolve(`${command.name} is done`))),
  }));
  const answer = makeAnswers(new Session(wallet.wallet, slow), (text) => assert.fail(text));
  const told = new Map<string, string>();
  for (const { name } of slow) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params: [] }));
    void Promise.resolve(answer(body)).then((text) => told.set(name, Buffer.from(text ?? '').toString()));
  }
  const passing = async (): Promise<void> => {
    for (let tick = 0; tick < 10; tick++) await new Promise(setImmediate);
  };
  await passing();
  assert.equal(ends.length, wallet.commands.length);
  clock.pass(A_DAY_MS);
  await passing();
  assert.deepEqual([...told.keys()], []);
  for (const end of ends) end();
  await passing();
  for (const { name } of slow) assert.match(told.get(name) ?? '', new RegExp(`"result":"${name} is done"`));
  wallet.close();
});
