import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFiles, fileKind } from './stopped_folder.ts';

/** Something that happens to a file. */
export interface Damage {
  readonly point: string;
  readonly kind: string;
  readonly apply: (folder: string) => void;
}

/** A fixed sequence of numbers from 0 to 1. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * `count` damages of each kind of file: half of them a changed byte, half of them a file that ends early, the first
 * that it is gone.
 */
export function chooseDamages(folder: string, count: number, seed: number): Damage[] {
  const random = seeded(seed);
  const kinds = new Map<string, { readonly name: string; readonly bytes: number }[]>();
  for (const file of readFiles(folder))
    kinds.set(fileKind(file.name), [...(kinds.get(fileKind(file.name)) ?? []), file]);
  return [...kinds].flatMap(([kind, files]) =>
    Array.from({ length: count }, (_, index) => {
      // Every file is changed as well as cut off, whether their number is even or odd.
      const { name, bytes } = files[Math.trunc(index / 2) % files.length] ?? { name: '', bytes: 0 };
      const at = Math.trunc(random() * bytes);
      if (index === 0)
        return { kind, point: `${name} is gone`, apply: (copy: string) => rmSync(join(copy, name)) } satisfies Damage;
      return index % 2 === 0 ? cutOff(kind, name, at) : changed(kind, name, at, 1 << Math.trunc(random() * 8));
    }),
  );
}

/** Every byte changed, and every length, of files of that size or less. */
export function* allDamages(folder: string): Generator<Damage> {
  for (const { name, bytes } of readFiles(folder)) {
    for (let at = 0; at < bytes; at++) {
      yield changed(fileKind(name), name, at, 1 << (at % 8));
      yield cutOff(fileKind(name), name, at);
    }
  }
}

function cutOff(kind: string, name: string, at: number): Damage {
  return { kind, point: `${name} ends at ${at}`, apply: (folder) => truncateSync(join(folder, name), at) };
}

function changed(kind: string, name: string, at: number, bit: number): Damage {
  const apply = (folder: string): void => {
    const bytes = readFileSync(join(folder, name));
    bytes[at] = (bytes[at] ?? 0) ^ bit;
    writeFileSync(join(folder, name), bytes);
  };
  return { kind, point: `bit ${bit} of byte ${at} of ${name}`, apply };
}
