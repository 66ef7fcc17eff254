// Imports a key into a wallet and is killed (SIGKILL) at the given call to the file system.
// Arguments: path of the wallet, the call (counted from 1; 0 is never), a private key in hex.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [path = '', killAt = '0', secret = ''] = process.argv.slice(2);
const state = { armed: false, calls: 0 };

type AnyFunction = (...parameters: unknown[]) => unknown;
const watched = fs as unknown as Record<string, AnyFunction>;
for (const name of [
  'realpathSync',
  'readFileSync',
  'readdirSync',
  'rmSync',
  'openSync',
  'writeSync',
  'fsyncSync',
  'closeSync',
  'renameSync',
]) {
  const original = watched[name] as AnyFunction;
  watched[name] = (...parameters) => {
    if (!state.armed) return original(...parameters);
    state.calls++;
    // The worst moment of a write is in its middle.
    if (state.calls === Number(killAt) && name === 'writeSync')
      original(parameters[0], (parameters[1] as Buffer).subarray(0, 100), 0);
    if (state.calls === Number(killAt)) process.kill(process.pid, 'SIGKILL');
    return original(...parameters);
  };
}
syncBuiltinESMExports();

const { KeyStore } = await import('../../../src/wallet/key_store.ts');
const { systemClock } = await import('../../../src/base/clock.ts');
const store = new KeyStore({ path, clock: systemClock, lockAfterMs: 0, cost: { n: 1024, r: 8, p: 1 } });
await store.unlock('right');
state.armed = true;
store.importSecrets([Buffer.from(secret, 'hex')]);
state.armed = false;
process.stdout.write(String(state.calls));
