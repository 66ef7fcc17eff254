import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Release, WitnessFleet } from './witness_fleet.ts';

/** The guide "Upgrade a live chain", typed as it stands there at a node of a fleet. */
export class UpgradeGuide {
  readonly #page = readFileSync(
    fileURLToPath(new URL('../../../src/pages/guides/upgrade_chain.md', import.meta.url)),
    'utf8',
  );
  readonly #typed = new Set<string>();
  readonly #fleet: WitnessFleet;

  constructor(fleet: WitnessFleet) {
    this.#fleet = fleet;
  }

  /** Types the commands below a heading at a node; what they print. `pharos run` starts the release there. */
  async type(heading: string, node: number, release?: Release): Promise<string> {
    this.#typed.add(heading);
    const said: string[] = [];
    for (const line of codeLines(this.#findSection(heading), 'sh'))
      said.push(await this.#typeLine(line, node, release));
    return said.join('');
  }

  async #typeLine(line: string, node: number, release: Release | undefined): Promise<string> {
    const [program, ...words] = line.split(' ');
    if (program === 'curl') return (await this.#fleet.program(node).http('GET', '/health', {})).body;
    assert.equal(program, 'pharos', line);
    if (words[0] === 'run') {
      assert.equal(line, 'pharos run --config node.ini');
      await this.#fleet.upgrade(node, release);
      return '';
    }
    return await this.#fleet.done(words[0] === 'genesis' ? words : [...words, '--url', this.#fleet.url(node)]);
  }

  /** Fails unless a text has the lines of a log that stand below a heading; `…` stands for anything. */
  assertSaid(heading: string, text: string): void {
    const lines = codeLines(this.#findSection(heading), 'log');
    assert.ok(lines.length > 0, heading);
    for (const part of lines.flatMap((line) => line.split('…'))) assert.ok(text.includes(part), `${part} in ${text}`);
  }

  /** Fails unless all commands have been typed. */
  assertWhole(): void {
    for (const section of this.#page.split(/^## /m).slice(1)) {
      const [heading = ''] = section.split('\n', 1);
      assert.ok(this.#typed.has(heading) || codeLines(section, 'sh').length === 0, `${heading} was typed`);
    }
  }

  #findSection(heading: string): string {
    return this.#page.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? assert.fail(heading);
  }
}

function codeLines(section: string, language: 'sh' | 'log'): readonly string[] {
  const blocks = [...section.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].filter(([, each]) => each === language);
  return blocks.flatMap(([, , content = '']) => content.trim().split('\n'));
}
