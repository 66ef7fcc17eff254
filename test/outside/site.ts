import { once } from 'node:events';
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Program, type Machine } from './program.ts';
import { within } from './wait_until.ts';

/** The result of a command. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder in which programs are started. Whatever happens to the tests, neither folder nor process outlives them. */
export class Site {
  readonly folder = mkdtempSync(join(tmpdir(), 'pharos-outside-'));
  readonly #programs = new Set<Program>();

  constructor() {
    sites.add(this);
  }

  /** A path in the folder. */
  path(...names: string[]): string {
    return join(this.folder, ...names);
  }

  /** Starts the program with these arguments and waits for nothing. */
  start(args: readonly string[], environment: Readonly<Record<string, string>> = {}, machine?: Machine): Program {
    const program = new Program(args, this.folder, environment, 'ignore', machine);
    this.#programs.add(program);
    void program.exited.then(() => this.#programs.delete(program));
    return program;
  }

  /** A development chain that answers: in `data`, five blocks a second unless flags say otherwise. */
  async dev(...flags: readonly string[]): Promise<Program> {
    const program = this.start([
      'dev',
      '--data-dir',
      this.path('data'),
      '--port',
      '0',
      '--block-interval-ms',
      '200',
      ...flags,
    ]);
    await program.ready();
    return program;
  }

  /** Runs a command to its end, with a file that holds this text for its stdin. */
  async runWith(input: string, args: readonly string[]): Promise<Finished> {
    const path = this.path('stdin');
    writeFileSync(path, input);
    const file = createReadStream(path);
    await once(file, 'open');
    const program = new Program(args, this.folder, {}, file);
    try {
      const code = await within(`the end of pharos ${args.join(' ')}`, program.exited);
      return { code, stdout: program.stdout, stderr: program.stderr };
    } finally {
      program.kill();
      file.destroy();
    }
  }

  /** Runs a command to its end. */
  async run(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Finished> {
    const program = this.start(args, environment);
    const code = await within(`the end of pharos ${args.join(' ')}`, program.exited);
    return { code, stdout: program.stdout, stderr: program.stderr };
  }

  /** Ends what still runs and removes the folder. */
  async clear(): Promise<void> {
    for (const program of this.#programs) program.kill();
    await Promise.all([...this.#programs].map((program) => program.exited));
    rmSync(this.folder, { recursive: true, force: true });
    sites.delete(this);
  }

  /** The same when there is no time to wait. */
  abandon(): void {
    for (const program of this.#programs) program.kill();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

const sites = new Set<Site>();

process.on('exit', () => {
  for (const site of sites) site.abandon();
});
// A test that hangs is ended by a signal, which by itself runs nothing of the above.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
