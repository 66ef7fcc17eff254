import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath } from 'node:url';

/** A place in a file that runs, as stacks show it. */
const PLACE = /(file:\/\/[^()\s]+\.c?js):(\d+):(\d+)/g;

/** By the URL of a file that runs; undefined where there is no map. */
const maps = new Map<string, SourceMap | undefined>();

/**
 * Lets stacks name lines of the source. Maps are read once a stack is looked at; Node's own `--enable-source-maps` reads all of them at each
 * start of each thread.
 */
export function nameSourceLines(): void {
  Error.prepareStackTrace = (error, sites) =>
    [String(error), ...sites.map((site) => `    at ${String(site).replace(PLACE, inSource)}`)].join('\n');
}

function inSource(place: string, file: string, line: string, column: string): string {
  const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
  if (entry === undefined || !('originalSource' in entry)) return place;
  const { originalSource, originalLine, originalColumn } = entry;
  return `${fileURLToPath(new URL(originalSource, file))}:${originalLine + 1}:${originalColumn + 1}`;
}

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, read(file));
  return maps.get(file);
}

function read(file: string): SourceMap | undefined {
  try {
    return new SourceMap(parsed(readFileSync(fileURLToPath(`${file}.map`), 'utf8')));
  } catch {
    // A library's file, or a package without maps: its own lines have to do.
    return undefined;
  }
}

function parsed(map: string): SourceMapPayload;
function parsed(map: string): unknown {
  const payload: unknown = JSON.parse(map);
  return payload;
}
