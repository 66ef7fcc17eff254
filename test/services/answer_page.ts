import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from '../outside/program.ts';
import type { Site } from '../outside/site.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { project } from './commands.ts';

/** A node with its metrics, and what it is called from. */
export interface Troubled {
  readonly site: Site;
  readonly program: Program;
  readonly metricsPort: number;
}

/** The blocks of a section of a guide that say what a node with that trouble shows. */
export class AnswerPage {
  readonly text: string;

  constructor(guide: string) {
    this.text = readFileSync(join(project, `src/pages/guides/${guide}.md`), 'utf8');
  }

  /** Waits until the node shows each metric, log line and output of a command that stands below this heading. */
  async assertAnswersRight(heading: string, node: Troubled): Promise<void> {
    const section =
      this.text.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? assert.fail(`a section ${heading}`);
    const blocks = [...section.matchAll(/^```(metric|log|console)\n([^]*?)^```$/gm)].map(
      ([, kind = '', content = '']) => ({
        kind,
        content,
      }),
    );
    const kinds = ['metric', 'log', 'console'].filter((kind) => blocks.some((block) => block.kind === kind));
    assert.equal(
      kinds.length,
      3,
      `${heading} has a metric, a line of the log and a command, not only ${kinds.join(', ')}`,
    );
    for (const { kind, content } of blocks) {
      const lines = content.trimEnd().split('\n');
      if (kind === 'metric') for (const line of lines) await showsMetric(line, node);
      if (kind === 'log') for (const line of lines) await says(line, node);
      if (kind === 'console') await prints(lines, node);
    }
  }

  /** Asserts that a node without trouble shows none of the signs below this heading. */
  async assertSilent(heading: string, node: Troubled): Promise<void> {
    await assert.rejects(async () => {
      for (const line of this.text
        .split(`## ${heading}`)[1]
        ?.match(/(?<=```metric\n)[^`]+/)?.[0]
        .trim()
        .split('\n') ?? [])
        if (!(await holds(line, node))) assert.fail('no trouble');
    }, /no trouble/);
  }
}

/** Waits until a metric compares as the guide says. */
async function showsMetric(line: string, node: Troubled): Promise<void> {
  await waitUntil(line, async () => ((await holds(line, node)) ? true : undefined));
}

async function holds(line: string, { metricsPort }: Troubled): Promise<boolean> {
  const [, name = '', sign = '', bound = ''] = /^(\S+) (>|<|==) ([\d.]+)$/.exec(line) ?? assert.fail(line);
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const shown = text.split('\n').find((each) => each.startsWith(`${name} `));
  if (shown === undefined) return false;
  const value = Number(shown.slice(name.length + 1));
  return sign === '>' ? value > Number(bound) : sign === '<' ? value < Number(bound) : value === Number(bound);
}

async function says(line: string, { program }: Troubled): Promise<void> {
  const wanted = linePattern(line);
  await waitUntil(
    () => `the log to say "${line}", which said\n${program.stderr.slice(-2000)}`,
    () =>
      wanted.test(program.stderr) || (line.startsWith('calls wait: ') && HELD_UP.test(program.stderr))
        ? true
        : undefined,
  );
}

/** The line in place of the callers whose calls took the time, when other tests had the processors meanwhile. */
const HELD_UP = /calls wait: the thread that answers them was held up; [^"]*no call is to blame/;

async function prints([command = '', ...lines]: readonly string[], { site, program }: Troubled): Promise<void> {
  const words = command.replace(/^\$ pharos /, '').split(' ');
  const url = ['--url', `http://127.0.0.1:${program.port}`];
  let stdout = '';
  await waitUntil(
    () => `${command} to print "${lines.join('\n')}", which printed\n${stdout}`,
    async () => {
      ({ stdout } = await site.run([...words, ...url]));
      return lines.every((line) => linePattern(line).test(stdout)) ? true : undefined;
    },
  );
}

/** Of a line with … for what differs; blanks are those of a table. */
function linePattern(line: string): RegExp {
  const parts = line.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/ +/g, ' +'));
  return new RegExp(parts.join('[^\\n]*?').replace(/ \+\[/, ' *['));
}
