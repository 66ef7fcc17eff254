import { existsSync, readFileSync } from 'node:fs';
import type { Digest } from '../../values/hash.ts';
import type { PublicKey } from '../../values/public_key.ts';
import type { ForeignBlock, SigningRecord } from '../signing_journal.ts';
import { countMember, hexMember, type JsonMembers, parseMembers } from '../../system/json_members.ts';
import { onDisk } from '../../system/system_error.ts';

/** A line of a signing journal: what was signed, a foreign block that locks its key, or a key that may sign again. */
export type JournalLine =
  | ({ readonly kind: 'signed' } & SigningRecord)
  | ({ readonly kind: 'foreign' } & ForeignBlock)
  | { readonly kind: 'unlocked'; readonly chain: Digest; readonly key: PublicKey };

/** The readable part of a journal. */
export interface ReadJournal {
  readonly lines: readonly JournalLine[];
  /** Of the whole lines: behind them may be one that a failure of power has cut off. */
  readonly bytes: number;
  /** The first line that can't be read, counted from 1. */
  readonly damagedLine: number | undefined;
}

/** Reads a journal; one that isn't there has no lines. */
export function readJournal(path: string): ReadJournal {
  const text = existsSync(path) ? onDisk(`cannot read ${path}`, () => readFileSync(path, 'latin1')) : '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const found = whole.split('\n').slice(0, -1).map(parseJournalLine);
  const damaged = found.indexOf(undefined);
  const lines = found.filter((line) => line !== undefined);
  return { lines, bytes: whole.length, damagedLine: damaged < 0 ? undefined : damaged + 1 };
}

/** A line as it stands in the file. */
export function formatLine(line: JournalLine): string {
  return `${JSON.stringify(membersOfLine(line))}\n`;
}

function membersOfLine(line: JournalLine): JsonMembers {
  const { chain, key } = line;
  if (line.kind === 'unlocked') return { chain, key, unlocked: true };
  const { slot, digest, id } = line;
  return line.kind === 'foreign'
    ? { chain, key, foreign: slot, digest, id }
    : { chain, key, slot, digest, id, previous: line.previous };
}

/** Parses a line; undefined unless each member is there and has its form. */
export function parseJournalLine(text: string): JournalLine | undefined {
  const said = parseMembers(text) ?? {};
  const [chain, key] = [hexMember(said['chain'], 32), hexMember(said['key'], 33)];
  if (chain === undefined || key === undefined) return undefined;
  if (said['unlocked'] === true) return { kind: 'unlocked', chain, key };
  const [digest, id, previous] = [
    hexMember(said['digest'], 32),
    hexMember(said['id'], 20),
    hexMember(said['previous'], 20),
  ];
  const slot = countMember(said['slot'] ?? said['foreign']);
  if (digest === undefined || id === undefined || slot === undefined) return undefined;
  if ('foreign' in said) return { kind: 'foreign', chain, key, slot, digest, id };
  return previous === undefined ? undefined : { kind: 'signed', chain, key, slot, digest, id, previous };
}
