import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../../../../', import.meta.url));

/** A guide as a reader goes through it: files to write, and commands to type, in their order. */
export interface Guide {
  readonly commands: readonly string[];
  /** By their paths from the clone. */
  readonly files: ReadonlyMap<string, string>;
}

/** The guide of that name, or several that are read one after the other. */
export function guideNamed(...names: readonly string[]): Guide {
  const guides = names.map((name) => parseGuide(readFileSync(join(project, `src/pages/guides/${name}.md`), 'utf8')));
  return {
    commands: guides.flatMap(({ commands }) => commands),
    files: new Map(guides.flatMap(({ files }) => Array.from(files))),
  };
}

/**
 * Reads a guide. A block of a program is the file that the text before it named last; blocks of `sh` are commands, one
 * a line, others to be looked at.
 */
function parseGuide(text: string): Guide {
  const commands: string[] = [];
  const files = new Map<string, string>();
  let from = 0;
  for (const { index, 0: block, 1: language = '', 2: content = '' } of text.matchAll(/^ *```(\w+)\n([^]*?)^ *```$/gm)) {
    const before = text.slice(from, index);
    from = index + block.length;
    if (language === 'sh') commands.push(...content.trim().split(/\n */));
    const [, named] = [...before.matchAll(/`(my-app\/[\w./-]+)`/g)].at(-1) ?? [];
    if (['js', 'html', 'py'].includes(language)) files.set(named ?? assert.fail(`a file of ${content}`), content);
    if (language === 'json' && named?.endsWith('.json') === true) files.set(named, content);
  }
  return { commands, files };
}

/** Makes a reader's clone, set up, without anybody's data in it, and with `pharos` in its `bin`. The caller removes it. */
export function clone(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-guide-'));
  for (const name of ['package.json', 'scripts', 'build', 'src', 'native', 'node_modules'])
    symlinkSync(join(project, name), join(folder, name));
  mkdirSync(join(folder, 'bin'));
  symlinkSync(join(project, 'scripts/pharos.js'), join(folder, 'bin/pharos'));
  return folder;
}

/** Writes what the guide has its reader write, with other ports than everybody's. */
export function writeFiles(folder: string, { files }: Guide, ports: Readonly<Record<string, string>>): void {
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), onPorts(content, ports));
  }
}

/** A text of the guide with other ports. */
export function onPorts(text: string, ports: Readonly<Record<string, string>>): string {
  return Object.entries(ports).reduce((each, [usual, port]) => each.replaceAll(usual, port), text);
}
