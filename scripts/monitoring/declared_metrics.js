import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inProject } from '../place.js';

/** @typedef {import('./rules_file.js').DeclaredMetric} DeclaredMetric */

const STARTS_MS = 60_000;
/** A key of a chain that nobody has: a private net needs one. */
const KEY = 'PHR8et3VRtGJTqBF91MhbUWX3YmLqqt7vhGpSV3sFi4yYY52zLdTP';

/** Starts a node with a witness, a network and an event stream, and reads what it declares of its own metrics, in its order. @returns {Promise<readonly DeclaredMetric[]>} */
export async function declaredMetrics() {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-metrics-'));
  const port = await freePort();
  const settings = {
    'initminer-mining-pubkey': KEY,
    'data-dir': join(folder, 'node'),
    'webserver-http-endpoint': '127.0.0.1:0',
    'metrics-endpoint': `127.0.0.1:${port}`,
    'p2p-endpoint': '127.0.0.1:0',
    witness: 'initminer',
    'sink-nats': 'nats://127.0.0.1:1',
  };
  const words = Object.entries(settings).flatMap(([key, value]) => [`--${key}`, value]);
  const node = spawn(process.execPath, [inProject('build/program/node/cli.js'), 'run', ...words], { stdio: 'ignore' });
  try {
    return metricsIn(await pageOf(`http://127.0.0.1:${port}/metrics`));
  } finally {
    const ended = new Promise((resolve) => void node.once('exit', resolve));
    node.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} page @returns {DeclaredMetric[]} */
function metricsIn(page) {
  return [...page.matchAll(/^# HELP (pharos_\w+) (.*)\n# TYPE \1 (gauge|counter|histogram)$/gm)].map(([, name = '', doc = '', type]) => ({
    name,
    doc,
    type: type === 'counter' || type === 'histogram' ? type : 'gauge',
  }));
}

/** @param {string} url @returns {Promise<string>} */
async function pageOf(url) {
  for (const until = Date.now() + STARTS_MS; Date.now() < until; await pause(100)) {
    const page = await fetch(url).then(
      async (answer) => await answer.text(),
      () => '',
    );
    if (page !== '') return page;
  }
  throw new Error(`no metrics at ${url}: the node has not started`);
}

/** @returns {Promise<number>} */
async function freePort() {
  const server = createServer();
  await new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  await new Promise((resolve) => void server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
