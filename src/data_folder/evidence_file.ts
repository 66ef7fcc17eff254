import { existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { catchRefusal } from '../base/refusal.ts';
import { certificateContradiction, voteContradiction, type Contradiction } from '../blocks/finality/contradiction.ts';
import { ByteReader, ByteWriter } from '../codec/bytes.ts';
import { sha256Hex } from '../crypto/hashes.ts';
import { onDisk } from '../system/system_error.ts';
import { writeWholeFile } from '../system/whole_file.ts';
import { decodeBase64 } from '../values/base64_data.ts';
import type { Digest } from '../values/hash.ts';

/** A file that a folder without a chain may hold, too. */
export const EVIDENCE_FILE = 'pharos-evidence.txt';

/** Of 256 voters, whose names the votes and certificates carry: the writer keeps fewer and smaller ones. */
const LARGEST_BYTES = 4 * 1024 * 1024;
const SUM_DIGITS = 16;
/**
 * A line has the kind and hash of the contradiction, the chain, the evidence in base64, and the first digits of the
 * sha256 of all that.
 */
const line = /^((votes|certificates) ([0-9a-f]{64}) (\S+)) ([0-9a-f]{16})$/;

/** The evidence of a chain in a file, and the file's damage. */
export interface KeptEvidence {
  readonly path: string;
  readonly found: readonly Contradiction[];
  /** A sentence; undefined for a sound file. */
  readonly damage: string | undefined;
}

/** Keeps evidence against voters in the data folder. It is for people: nothing that a node does depends on it. */
export class EvidenceFile {
  readonly #path: string;
  readonly #chain: Digest;

  constructor(folder: string, chain: Digest) {
    this.#path = join(folder, EVIDENCE_FILE);
    this.#chain = chain;
  }

  /** Reads the evidence; a damaged file gets another name, and its sound lines go to a new one. */
  read(): KeptEvidence {
    const kept = readEvidence(this.#path, this.#chain);
    if (kept.damage === undefined) return kept;
    onDisk(`cannot rename ${this.#path}`, () => renameSync(this.#path, `${this.#path}.damaged`));
    this.write(kept.found);
    return kept;
  }

  /** Replaces what is kept. It is on the disk when this returns. */
  write(all: readonly Contradiction[]): void {
    writeWholeFile(this.#path, all.map((each) => this.#text(each)).join(''));
  }

  #text(each: Contradiction): string {
    const out = new ByteWriter();
    if ('votes' in each) voteContradiction.write(out, each);
    else certificateContradiction.write(out, each);
    const what = 'votes' in each ? 'votes' : 'certificates';
    const said = `${what} ${this.#chain} ${Buffer.from(out.finish()).toString('base64')}`;
    return `${said} ${lineSum(said)}\n`;
  }
}

/** Reads a file of evidence; one of another chain holds none of this chain. */
export function readEvidence(path: string, chain: Digest): KeptEvidence {
  if (!existsSync(path)) return { path, found: [], damage: undefined };
  if (onDisk(`cannot read ${path}`, () => statSync(path).size) > LARGEST_BYTES)
    return { path, found: [], damage: damaged(path, 'it is larger than this program makes it') };
  const lines = onDisk(`cannot read ${path}`, () => readFileSync(path, 'latin1')).split('\n');
  const read = lines.slice(0, -1).map((each) => parseLine(each));
  const found = read.flatMap((each) => (each?.chain === chain ? [each.contradiction] : []));
  const wrong = read.includes(undefined) ? read.indexOf(undefined) : lines.length - 1;
  // A whole line ends with nothing behind it.
  const isSound = wrong === lines.length - 1 && lines.at(-1) === '';
  return { path, found, damage: isSound ? undefined : damaged(path, `line ${wrong + 1} can't be read`) };
}

function damaged(path: string, why: string): string {
  return `${path}: ${why}, so evidence against voters may be missing; nothing else depends on it; the file is kept as ${path}.damaged`;
}

interface Line {
  readonly chain: Digest;
  readonly contradiction: Contradiction;
}

function parseLine(text: string): Line | undefined {
  const [, said = '', what, chain = '', packed = '', sum] = line.exec(text) ?? [];
  if (sum !== lineSum(said)) return undefined;
  let read: Line | undefined;
  catchRefusal(() => {
    const input = new ByteReader(decodeBase64(packed));
    const contradiction = what === 'votes' ? voteContradiction.read(input) : certificateContradiction.read(input);
    input.expectEnd();
    read = { chain, contradiction };
  });
  return read;
}

function lineSum(text: string): string {
  return sha256Hex(Buffer.from(text)).slice(0, SUM_DIGITS);
}
