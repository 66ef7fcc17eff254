import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { succeed } from './commands.ts';

/** A program that keeps something in a folder. */
export interface Keeper {
  readonly store: string;
  /** Ends it. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** A copy of what a program keeps, and the way back to it, as from a backup. */
export class OlderCopy {
  readonly #keeper: Keeper;

  constructor(keeper: Keeper) {
    this.#keeper = keeper;
  }

  async take(): Promise<void> {
    await this.#whileStopped(async () => await copy(this.#keeper.store, this.#path));
  }

  /** False where there is none yet. */
  async setBack(): Promise<boolean> {
    if (!existsSync(this.#path)) return false;
    await this.#whileStopped(async () => await copy(this.#path, this.#keeper.store));
    return true;
  }

  remove(): void {
    rmSync(this.#path, { recursive: true, force: true });
  }

  get #path(): string {
    return `${this.#keeper.store}.copy`;
  }

  async #whileStopped(step: () => Promise<void>): Promise<void> {
    await this.#keeper.stop();
    await step();
    await this.#keeper.start();
  }
}

/** With owners: a server of databases refuses files of others. */
async function copy(from: string, to: string): Promise<void> {
  rmSync(to, { recursive: true, force: true });
  await succeed('cp', ['-a', from, to], { folder: dirname(from) });
}
