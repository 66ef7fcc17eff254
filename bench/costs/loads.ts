import { fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { devSecret } from '../../src/dev_chain/dev_genesis.ts';
import { prepareAccounts } from '../../src/load_test/prepared_accounts.ts';
import { runTraffic } from '../../src/load_test/run_traffic.ts';
import { growth, scrape } from '../../src/load_test/scrape.ts';
import { freePort } from '../../test/outside/free_port.ts';
import { DevNode } from '../dev_node.ts';
import { nextEvent } from '../next_event.ts';
import { FUND, makeSettings, mixLoad, newMemos, onePost, plain, SEED, type Load } from '../node/traffic.ts';
import { together } from '../p2p/follower.ts';

/** Marks the window that counts, and ends it. */
export interface Watch {
  begin(): void;
  end(): void;
}

/** A load of the sheet. */
export interface SheetLoad {
  readonly name: string;
  readonly start: (flags: readonly string[]) => Promise<RunningLoad>;
}

export interface RunningLoad {
  /** The node that is looked at. */
  readonly node: DevNode;
  /** Runs it once and returns the transactions of the window. */
  readonly run: (watch: Watch) => Promise<number>;
  readonly stop: () => Promise<void>;
}

const ACCOUNTS = 1000;
const RATE = 2000;
const FOLLOWED_MS = 20_000;
/** `runTraffic` says so before it posts, and when all is in blocks. */
const [BEFORE, AFTER] = ['signing ahead', 'looking up what was acknowledged'];

/** The loads of the sheet: four of `node/traffic`, and the follower of `p2p/follower`. */
export const sheetLoads: readonly SheetLoad[] = [
  { name: 'the real mix', start: (flags) => posted(mixLoad, flags) },
  { name: 'plain transfers, posts of 100', start: (flags) => posted(plain, flags) },
  { name: 'a different memo in each, posts of 100', start: (flags) => posted(newMemos, flags) },
  { name: 'one a post, 24 connections', start: (flags) => posted(onePost, flags) },
  { name: 'follower, 2 000 transfers a second', start: followed },
];

async function posted(load: Load, flags: readonly string[]): Promise<RunningLoad> {
  const node = await DevNode.start({ blockIntervalMs: 500, largeBlocks: true, flags });
  const from = { name: 'initminer', secret: devSecret('initminer') };
  const asked = { url: node.url, profileName: 'default', from, count: ACCOUNTS, seed: SEED, fund: FUND };
  await prepareAccounts({ ...asked, progress: () => {} });
  return {
    node,
    run: async (watch) => {
      const progress = (text: string): void => {
        if (text === BEFORE) watch.begin();
        if (text === AFTER) watch.end();
      };
      return (await runTraffic({ ...makeSettings(node, load, ACCOUNTS, false), progress })).included;
    },
    stop: async () => await node.stop(),
  };
}

async function followed(flags: readonly string[]): Promise<RunningLoad> {
  const port = await freePort();
  const maker = await DevNode.start({ largeBlocks: true, settings: ['--p2p-endpoint', `127.0.0.1:${port}`] });
  const node = await DevNode.start({ settings: ['--join', `127.0.0.1:${port}`], flags });
  await together(maker, node);
  const client = fork(fileURLToPath(new URL('../paced_transfers.js', import.meta.url)), [maker.url, String(RATE)]);
  await nextEvent(client, 'message');
  return {
    node,
    run: async (watch) => {
      const before = await scrape(node.metricsUrl);
      watch.begin();
      await sleep(FOLLOWED_MS);
      watch.end();
      return growth(before, await scrape(node.metricsUrl), 'pharos_proofs_total{of="broadcast"');
    },
    stop: async () => {
      client.kill();
      await node.stop();
      await maker.stop();
    },
  };
}
