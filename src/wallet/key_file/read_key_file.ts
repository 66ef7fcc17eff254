import { readFileSync, statSync } from 'node:fs';
import { errorMessage } from '../../base/error_message.ts';
import { Fault } from '../../base/fault.ts';
import { Refusal } from '../../base/refusal.ts';
import type { Json } from '../../codec/json.ts';
import { readJson } from '../../codec/json_reader.ts';
import { isLineageFile, readLineageFile } from './lineage_file.ts';
import { damaged, type ClosedFile } from './contents.ts';
import { isSealedFile, readSealedFile } from './sealed_file.ts';
import { isWifFile, readWifFile } from './wif_file.ts';

const OF_OTHERS = 0o077;

/** A key file and its exact text. */
export interface FoundFile {
  readonly text: string;
  readonly file: ClosedFile;
}

/**
 * Reads a key file of any format; undefined when there is none. A plain key that others may read is refused, unless
 * `isCredential` says that systemd guards the file. Throws Fault.
 */
export function readKeyFile(
  path: string,
  isCredential: (path: string) => boolean = () => false,
): FoundFile | undefined {
  const text = readText(path);
  if (text === undefined) return undefined;
  const file = namingFile(path, () => parseKeyFile(text));
  if (file.format === 'wif' && (statSync(path).mode & OF_OTHERS) !== 0 && !isCredential(path))
    throw new Fault('configuration', `${path}: others than its owner may read or write it; chmod 600 ${path}`);
  return { text, file };
}

function namingFile<T>(path: string, parseIt: () => T): T {
  try {
    return parseIt();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Fault(error.code, `${path}: ${error.message}`, error);
  }
}

/** The text of a file; undefined when there is none. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw new Fault('disk', `cannot read ${path}: ${errorMessage(cause)}`, cause);
  }
}

/** Returns whether a text is that of a key file of any format, damaged or not. */
export function isKeyFile(text: string): boolean {
  return isWifFile(text) || isWalletFile(text);
}

/** Returns whether a text is that of a wallet of this program or of the lineage, damaged or not. */
export function isWalletFile(text: string): boolean {
  if (!/^\s*\{/.test(text)) return false;
  try {
    const json = parse(text);
    return isSealedFile(json) || isLineageFile(json);
  } catch {
    return false;
  }
}

/** Reads the text of a key file of any format. Throws Fault. */
export function parseKeyFile(text: string): ClosedFile {
  if (isWifFile(text)) return readWifFile(text);
  const json = parse(text);
  if (isSealedFile(json)) return readSealedFile(json);
  return isLineageFile(json)
    ? readLineageFile(json)
    : damaged('it is no wallet of this program and none of the lineage');
}

function parse(text: string): Json {
  try {
    return readJson(Buffer.from(text, 'utf8'));
  } catch (error) {
    if (error instanceof Refusal) damaged(error.message);
    throw error;
  }
}
