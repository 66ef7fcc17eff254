import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Finished, Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

/** Each look is a process of its own. */
const PAUSE_MS = 500;

/** A node of a net, as `pharos net status` shows it. */
export interface NetRow {
  readonly state: string;
  readonly head: number;
  readonly final: number;
  readonly peers: number;
  readonly pid: number;
  readonly url: string;
}

/** `pharos net` in a folder of a site. Its nodes outlive whoever starts them, so each test ends with `leave`. */
export class PrivateNet {
  readonly #site: Site;
  readonly #folder: string;

  constructor(site: Site, folder: string) {
    this.#site = site;
    this.#folder = folder;
  }

  /** One order, whatever comes of it. */
  async order(...words: readonly string[]): Promise<Finished> {
    return await this.#site.run(['net', ...words, '--dir', this.#folder]);
  }

  /** An order that must be carried out; what it printed. */
  async done(...words: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.order(...words);
    assert.equal(code, 0, `net ${words.join(' ')}: ${stderr}`);
    return stdout;
  }

  /** Returns the table of the nodes. */
  async rows(): Promise<readonly NetRow[]> {
    const table = await this.done('status');
    const rows = table.matchAll(/^ *\d+ +(up|down|silent) +(?:(\d+) +(\d+) +(\d+) +)?(\d+)? +(http:\S+)/gm);
    return [...rows].map(([, state = '', ...cells]) => {
      const [head = 0, final = 0, peers = 0, pid = 0] = cells.slice(0, 4).map(Number);
      return { state, head, final, peers, pid, url: cells[4] ?? '' };
    });
  }

  /** Waits until all nodes that run have one another, and final blocks above a number close to their heads. */
  async awaitFinal(number: number): Promise<readonly NetRow[]> {
    let rows: readonly NetRow[] = [];
    return await waitUntil(
      () => `blocks above ${number} to be final: ${JSON.stringify(rows)}`,
      async () => {
        rows = await this.rows();
        const running = rows.filter(({ state }) => state !== 'down');
        const areFinal = running.every(
          ({ state, head, final, peers }) => state === 'up' && final > number && head - final <= 3 && peers > 0,
        );
        if (running.length > 0 && areFinal) return rows;
        await pause(PAUSE_MS);
        return undefined;
      },
    );
  }

  /** Ends what still runs. */
  async leave(): Promise<void> {
    await this.order('down', '--delete');
  }
}
