import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { Fault } from '../../../src/base/fault.ts';
import { errorExitCode } from '../../../src/system/exit_codes.ts';

/** The contents that a reader finds in a file, and its warnings. */
export interface Read {
  readonly value: unknown;
  readonly warning?: string | undefined;
}

/** A kind of file. */
export interface Kind {
  readonly path: string;
  /** Reads it as the program does. */
  readonly read: () => Read | Promise<Read>;
  /**
   * 3 for what the program has written, 2 for what a person has, 1 for what only this run lacks; either where another
   * checkpoint is a setting that is missing.
   */
  readonly code: 1 | 2 | 3 | 'either';
  readonly remedy: RegExp;
  /** The reason why a part of the contents may be lost without a warning, if it may. */
  readonly mayForget?: string;
  /** The reason why no damage loses anything, so that no warning is needed. */
  readonly harmless?: string;
  /** Damages after which the file says something else that is as good. */
  readonly meansOther?: RegExp;
}

/** The folder of the files. */
export const folder = mkdtempSync(join(tmpdir(), 'pharos-damaged-'));
after(() => rmSync(folder, { recursive: true, force: true }));

export const place = (name: string): string => join(folder, name);
export function inFolder(name: string, file: string): { readonly data: string; readonly path: string } {
  const data = place(name);
  mkdirSync(data, { recursive: true });
  return { data, path: join(data, file) };
}

function flipped(sound: Buffer, part: number): Buffer {
  const bytes = Buffer.from(sound);
  const at = Math.trunc((bytes.length - 1) * part);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
}

/** Damages by disks, editors and people. */
const damages: Readonly<Record<string, (sound: Buffer) => Buffer>> = {
  'it is empty': () => Buffer.alloc(0),
  'half of it is gone': (sound) => sound.subarray(0, Math.trunc(sound.length / 2)),
  'its last byte is gone': (sound) => sound.subarray(0, -1),
  'its beginning is gone': (sound) => sound.subarray(7),
  'its first byte is flipped': (sound) => flipped(sound, 0),
  'a byte in its middle is flipped': (sound) => flipped(sound, 0.5),
  'a byte near its end is flipped': (sound) => flipped(sound, 0.9),
  'all its bytes are zeros': (sound) => Buffer.alloc(sound.length),
  'zeros stand at its end': (sound) =>
    Buffer.concat([sound.subarray(0, Math.trunc(sound.length / 2)), Buffer.alloc(sound.length)]),
  'another text is appended': (sound) => Buffer.concat([sound, Buffer.from('another text\n')]),
  'it is doubled': (sound) => Buffer.concat([sound, sound]),
  'it is another file': () => Buffer.from('{"some": "other file"}\n'),
  'it is no text': () => Buffer.from([0xff, 0xfe, 0x00, 0x80, 0xc3, 0x28, 0x0a, 0xff]),
};

/** Names of classes, and what only programmers read. */
const FOREIGN =
  /\b[A-Z]\w*(?:Error|Exception|Refusal|Fault)\b|Unexpected (?:token|end)|JSON at position|\bat JSON|\bundefined\b|\[object|\n\s+at /;

/** Damages a file in each way and reads it: the damage is told, or nothing is lost. */
export async function damageInAllWays(
  name: string,
  { path, read, code, remedy, mayForget, harmless, meansOther = /^$/ }: Kind,
): Promise<void> {
  const sound = readFileSync(path);
  const { value, warning: before } = await read();
  assert.equal(before, undefined, `${name}: a sound file`);
  let told = 0;
  for (const [damage, apply] of Object.entries(damages)) {
    writeFileSync(path, apply(sound));
    const what = `${name}: ${damage}`;
    const found = await readOutcome(read);
    if ('error' in found) {
      told++;
      const { error } = found;
      assert.ok(error instanceof Fault, `${what}: ${String(error)}`);
      assert.ok(code === 'either' || errorExitCode(error) === code, `${what}: ${error.message}`);
      assert.ok(error.message.includes(path), `${what}: names no file: ${error.message}`);
      assert.match(error.message, remedy, what);
      assert.doesNotMatch(error.message, FOREIGN, what);
    } else if (found.warning !== undefined) {
      told++;
      assert.ok(found.warning.includes(path), `${what}: ${found.warning}`);
      assert.match(found.warning, remedy, what);
      assert.doesNotMatch(found.warning, FOREIGN, what);
    } else if (mayForget === undefined && !meansOther.test(damage))
      assert.deepEqual(found.value, value, `${what}: nobody was told`);
  }
  writeFileSync(path, sound);
  if (harmless === undefined) assert.ok(told >= 3, `${name} is found damaged in ${told} ways`);
  else assert.equal(told, 0, `${name}: nobody needs to know`);
}

async function readOutcome(read: Kind['read']): Promise<Read | { readonly error: unknown }> {
  try {
    return await read();
  } catch (error) {
    return { error };
  }
}
