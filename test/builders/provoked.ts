// Loaded before each test file of a whole run: records which refusals its assertions saw, by the values compared and
// not by the test's text.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const folder = process.env['TEST_PROVOKED'];

/** The search visits this many values, and this deep: enough for a response, not for a whole state. */
const MOST_VALUES = 2000;
const MOST_LEVELS = 6;

/** The codes by the name of the test file. */
const met = new Map<string, Set<string>>();
let codes = new Set<string>();

/** Assigns refusals from now on to this test file. */
export function noteProvoked(file: string): void {
  const name = basename(file).split('.')[0] ?? '';
  codes = met.get(name) ?? new Set();
  met.set(name, codes);
}

const CODE = /^[a-z][a-z0-9_]*$/;
/** Members whose value is a code: of refusals, of verdicts, of the errors in answers. */
const MEMBERS: ReadonlySet<string> = new Set(['code', 'name', 'refusal']);

/** Records the codes of refusals among the arguments of an assertion. */
function note(shown: unknown): void {
  let left = MOST_VALUES;
  const look = (value: unknown, level: number, isCode: boolean): void => {
    if (left-- <= 0 || level > MOST_LEVELS) return;
    if (typeof value === 'string') {
      if (isCode && CODE.test(value)) codes.add(value);
      for (const [, code = ''] of value.matchAll(/"name":"([a-z0-9_]+)"/g)) codes.add(code);
    } else if (Array.isArray(value)) {
      for (const item of value) look(item, level + 1, isCode);
    } else if (typeof value === 'object' && value !== null) {
      if (value instanceof Error && 'code' in value) look(value.code, level, true);
      for (const [member, item] of Object.entries(value)) look(item, level + 1, MEMBERS.has(member));
    }
  };
  look(shown, 0, true);
}

type Check = (shown: unknown, ...rest: unknown[]) => unknown;

/** The assertion, which first records its arguments. */
function noting(check: (...shown: never[]) => unknown): Check {
  return (shown, ...rest) => {
    note(shown);
    return Reflect.apply(check, assert, [shown, ...rest]);
  };
}

function notingThrown(throws: typeof assert.throws): Check {
  return (run, ...rest) => {
    const noted = (): unknown => {
      try {
        return typeof run === 'function' ? run() : undefined;
      } catch (error) {
        note(error);
        throw error;
      }
    };
    return Reflect.apply(throws, assert, [noted, ...rest]);
  };
}

function notingRejected(rejects: typeof assert.rejects): Check {
  return (run, ...rest) => {
    const noted = async (): Promise<unknown> => {
      try {
        return await (typeof run === 'function' ? run() : run);
      } catch (error) {
        note(error);
        throw error;
      }
    };
    return Reflect.apply(rejects, assert, [noted, ...rest]);
  };
}

// The process that starts the test files runs none.
const [, started] = process.argv;
if (folder !== undefined && started !== undefined) {
  noteProvoked(started);
  const { equal, deepEqual, match, throws, rejects } = assert;
  Object.assign(assert, {
    equal: noting(equal),
    deepEqual: noting(deepEqual),
    match: noting(match),
    throws: notingThrown(throws),
    rejects: notingRejected(rejects),
  });
  process.on('exit', () => {
    mkdirSync(folder, { recursive: true });
    for (const [name, its] of met) writeFileSync(join(folder, `${name}.${process.pid}`), [...its].join('\n'));
  });
}
