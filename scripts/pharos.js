#!/usr/bin/env node
// The `pharos` command. It never sets up by itself: people run it beside their data, perhaps without a network or
// without the right to write here, and a program that suddenly downloads packages is no help then.
import { existsSync } from 'node:fs';

const cli = new URL('../build/program/node/cli.js', import.meta.url);
if (existsSync(cli)) await import(cli.href);
else {
  process.stderr.write(
    'pharos: not set up yet. Run `npm start` (a development chain) or `node scripts/setup.js` once, in the folder of package.json.\n',
  );
  process.exitCode = 2;
}
