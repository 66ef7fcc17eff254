import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { project } from './commands.ts';

// scripts/operate/Containerfile as an engine reads it: only what it uses is known, and anything else is refused.

/** A step of a stage; a command is its words, as `/bin/sh -c` gets them where the file has a line for a shell. */
export type Step =
  | { readonly kind: 'run'; readonly command: readonly string[] }
  | {
      readonly kind: 'copy';
      readonly from: string | undefined;
      readonly sources: readonly string[];
      readonly target: string;
    }
  | { readonly kind: 'argument'; readonly name: string }
  | { readonly kind: 'folder'; readonly path: string };

/** The start command and settings of the last stage. */
export interface ImageSettings {
  user: string;
  folder: string;
  environment: Readonly<Record<string, string>>;
  volumes: string[];
  ports: string[];
  stopSignal: string;
  healthCheck: readonly string[];
  entryPoint: readonly string[];
  command: readonly string[];
}

/** A stage: what it begins with, its steps, and what its image says of its containers. */
export interface Stage {
  readonly base: string;
  readonly name: string;
  readonly steps: Step[];
  readonly settings: ImageSettings;
}

type Reader = (stage: Stage, rest: string) => void;

const readers: Readonly<Record<string, Reader>> = {
  RUN: ({ steps }, rest) => steps.push({ kind: 'run', command: parseCommand(rest) }),
  COPY: ({ steps }, rest) => {
    const [, from, words = ''] = /^(?:--from=(\S+) )?([^-].*)$/.exec(rest) ?? assert.fail(`COPY ${rest}`);
    const paths = words.split(/\s+/);
    steps.push({ kind: 'copy', from, sources: paths.slice(0, -1), target: paths.at(-1) ?? '' });
  },
  ARG: ({ steps }, name) => steps.push({ kind: 'argument', name }),
  WORKDIR: ({ steps, settings }, path) => {
    steps.push({ kind: 'folder', path });
    settings.folder = path;
  },
  ENV: ({ settings }, rest) => {
    const [, name = '', value = ''] = /^([A-Z_]+)=([^\s"']+)$/.exec(rest) ?? assert.fail(`ENV ${rest}`);
    settings.environment = { ...settings.environment, [name]: value };
  },
  USER: ({ settings }, user) => (settings.user = user),
  VOLUME: ({ settings }, path) => settings.volumes.push(path),
  EXPOSE: ({ settings }, ports) => settings.ports.push(...ports.split(' ')),
  STOPSIGNAL: ({ settings }, signal) => (settings.stopSignal = signal),
  HEALTHCHECK: ({ settings }, rest) => {
    const [, command = ''] =
      /^(?:--(?:interval|timeout|start-period|retries)=\d+[sm]? )*CMD (.*)$/.exec(rest) ?? assert.fail(rest);
    settings.healthCheck = parseCommand(command);
  },
  ENTRYPOINT: ({ settings }, rest) => (settings.entryPoint = parseCommand(rest)),
  CMD: ({ settings }, rest) => (settings.command = parseCommand(rest)),
};

/** The stages of a Containerfile, in their order. Fails at an instruction that it does not know. */
export function parseStages(text: string): readonly Stage[] {
  const stages: Stage[] = [];
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', '')
    .split('\n');
  for (const line of lines.map((each) => each.trim()).filter((each) => each !== '')) {
    const [, word = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? assert.fail(`no instruction: ${line}`);
    if (word === 'FROM') stages.push(parseStage(rest));
    else {
      const stage = stages.at(-1) ?? assert.fail(`${word} stands before FROM`);
      (readers[word] ?? assert.fail(`no such instruction: ${word}`))(stage, rest);
    }
  }
  return stages;
}

function parseStage(rest: string): Stage {
  const [, base = '', name = ''] = /^(\S+)(?: AS (\w+))?$/.exec(rest) ?? assert.fail(`FROM ${rest}`);
  const none = {
    user: '0:0',
    folder: '/',
    environment: {},
    volumes: [],
    ports: [],
    stopSignal: 'SIGTERM',
    healthCheck: [],
    entryPoint: [],
    command: [],
  };
  return { base, name, steps: [], settings: none };
}

function parseCommand(text: string): readonly string[] {
  if (!text.startsWith('[')) return ['/bin/sh', '-c', text];
  const words: unknown = JSON.parse(text);
  assert.ok(Array.isArray(words));
  return words.map(String);
}

/**
 * Those of the files at the top of a clone that .dockerignore, which names what is let in, leaves in the context of a
 * build.
 */
export function filterContext(files: readonly string[]): readonly string[] {
  const lines = readFileSync(join(project, '.dockerignore'), 'utf8').split('\n');
  const [all, ...patterns] = lines.filter((line) => line !== '' && !line.startsWith('#'));
  assert.equal(all, '*', '.dockerignore keeps everything out but what it names');
  assert.ok(patterns.includes('**/.env'), '.dockerignore keeps passwords of Compose out');
  const allowed = patterns
    .filter((pattern) => pattern !== '**/.env')
    .map((pattern) => {
      const [, name = ''] = /^!(\*?[\w.-]+)$/.exec(pattern) ?? assert.fail(`.dockerignore: ${pattern}`);
      return name.startsWith('*') ? (file: string) => file.endsWith(name.slice(1)) : (file: string) => file === name;
    });
  return files.filter((file) => allowed.some((fits) => fits(file)));
}

/** Lists the top of a clone, and files that may appear there. */
export function topOfClone(): readonly string[] {
  return readdirSync(project);
}
