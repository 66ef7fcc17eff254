#!/usr/bin/env node
// The `pharos` command. It never sets up by itself: people run it beside their data, perhaps without a network or
// without the right to write here, and a program that suddenly downloads packages is no help then.
import { existsSync } from 'node:fs';
import { whyOutOfSupport, whyTooOld } from './oldest_node.js';

const cli = new URL('../build/program/node/cli.js', import.meta.url);
const notSetUp =
  'not set up yet. Run `npm start` (a development chain) or `node scripts/setup.js` once, in the folder of package.json.';
const obstacle = whyTooOld() ?? (existsSync(cli) ? undefined : notSetUp);
if (obstacle === undefined) {
  const remark = ['dev', 'run'].includes(process.argv[2]) ? whyOutOfSupport() : undefined;
  if (remark !== undefined) process.stderr.write(`pharos: ${remark}\n`);
  await import(cli.href);
} else {
  process.stderr.write(`pharos: ${obstacle}\n`);
  process.exitCode = 2;
}
