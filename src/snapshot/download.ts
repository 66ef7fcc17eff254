import { closeSync, existsSync, openSync, readFileSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorMessage } from '../base/error_message.ts';
import { Fault } from '../base/fault.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { writeWholeFile } from '../system/whole_file.ts';
import { parseMembers } from '../system/json_members.ts';
import { onDisk } from '../system/system_error.ts';

/** A server that gives nothing for so long is asked anew. */
const SILENT_MS = 30_000;
/** So often in a row it may fail without giving a byte; what is there stays for the next start. */
const MOST_FAILURES = 6;
const FIRST_PAUSE_MS = 500;
/** A state of a billion accounts; whoever sends more sends no snapshot. */
const MOST_BYTES = 256 * 1024 ** 3;

/** The parts of a download besides the network. */
export interface DownloadParts {
  readonly clock: Clock;
  readonly log: Log;
}

/** The known facts of a partial or whole file. */
interface Origin {
  /** The server's name for the bytes; without one nothing can be resumed. */
  readonly etag: string;
  readonly isWhole: boolean;
}

/** Another attempt may do better; the message says why this one failed. */
class Interrupted extends Error {}

/**
 * Fetches a file over HTTP, and goes on where it, or an earlier start, was interrupted. Fault `configuration` when the
 * server has no such file, `runtime` when it can't be fetched now, `disk` when there is no room; then what there is
 * stays.
 */
export async function download(url: string, path: string, { clock, log }: DownloadParts): Promise<void> {
  if (readOrigin(path, url)?.isWhole === true) return;
  log.notice(`fetching ${url}`, 'download_started', { bytesThere: resumable(path, url)?.bytes ?? 0 });
  for (let failures = 0; ;) {
    const before = fileSize(path);
    try {
      return await fetchRest(url, path, clock);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      failures = fileSize(path) > before ? 1 : failures + 1;
      if (failures >= MOST_FAILURES) throw new Fault('runtime', `cannot fetch ${url}: ${error.message}`, error);
      log.warning(`fetching ${url} was interrupted: ${error.message}`, 'download_interrupted', {
        bytesThere: fileSize(path),
      });
      await pauseBetweenTries(failures, clock);
    }
  }
}

/** Removes what was fetched. */
export function removeDownload(path: string): void {
  for (const each of [path, originPath(path)]) onDisk(`cannot remove ${each}`, () => rmSync(each, { force: true }));
}

/**
 * A small file as text; undefined when the server has none. Asks again as `download` does; Fault `runtime` when it
 * can't be fetched now.
 */
export async function fetchText(url: string, mostBytes: number, clock: Clock): Promise<string | undefined> {
  for (let failures = 1; ; failures++) {
    try {
      return await downloadText(url, mostBytes, clock);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      if (failures >= MOST_FAILURES) throw new Fault('runtime', `cannot fetch ${url}: ${error.message}`, error);
      await pauseBetweenTries(failures, clock);
    }
  }
}

async function downloadText(url: string, mostBytes: number, clock: Clock): Promise<string | undefined> {
  const abort = new AbortController();
  const cancel = clock.after(SILENT_MS, () => abort.abort());
  try {
    const response = await interruptible(() => fetch(url, { signal: abort.signal }));
    if (isBusy(response)) throw new Interrupted(`the server answers ${response.status}`);
    if (!response.ok) return undefined;
    const parts: Uint8Array[] = [];
    let bytes = 0;
    const body = bodyBytes(response)[Symbol.asyncIterator]();
    for (
      let part = await interruptible(() => body.next());
      part.done !== true;
      part = await interruptible(() => body.next())
    ) {
      bytes += part.value.length;
      if (bytes > mostBytes) return undefined;
      parts.push(part.value);
    }
    return Buffer.concat(parts).toString();
  } finally {
    cancel();
    abort.abort();
  }
}

async function pauseBetweenTries(failures: number, clock: Clock): Promise<void> {
  await new Promise<void>((resolve) => void clock.after(FIRST_PAUSE_MS * 2 ** (failures - 1), resolve));
}

/** Asked again later, it may have the file. */
function isBusy({ status }: Response): boolean {
  return status >= 500 || status === 408 || status === 429;
}

async function fetchRest(url: string, path: string, clock: Clock): Promise<void> {
  const there = resumable(path, url);
  const resuming = there === undefined ? {} : { range: `bytes=${there.bytes}-`, 'if-range': there.etag };
  const abort = new AbortController();
  let cancel = clock.after(SILENT_MS, () => abort.abort());
  try {
    const response = await interruptible(() =>
      fetch(url, { headers: { 'accept-encoding': 'identity', ...resuming }, signal: abort.signal }),
    );
    const from = firstByte(response, there?.bytes ?? 0);
    if (from === undefined) {
      removeDownload(path);
      throw new Interrupted('the server gives other bytes than it was asked for');
    }
    requireAnswer(response, url);
    requireRoom(path, url, from, response);
    const etag = response.headers.get('etag') ?? '';
    const origin = { etag: etag.startsWith('"') ? etag : '' };
    const file = onDisk(`cannot write ${path}`, () => openSync(path, from === 0 ? 'w' : 'a'));
    let bytes = from;
    try {
      // Behind what it replaces, which must not be taken for the beginning of this.
      noteOrigin(path, url, { ...origin, isWhole: false });
      const body = bodyBytes(response)[Symbol.asyncIterator]();
      for (
        let part = await interruptible(() => body.next());
        part.done !== true;
        part = await interruptible(() => body.next())
      ) {
        cancel();
        cancel = clock.after(SILENT_MS, () => abort.abort());
        bytes += part.value.length;
        if (bytes > MOST_BYTES) throw tooLarge(url);
        writeAll(path, file, part.value);
      }
    } finally {
      closeSync(file);
    }
    noteOrigin(path, url, { ...origin, isWhole: true });
  } finally {
    cancel();
    abort.abort();
  }
}

async function interruptible<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw new Interrupted(failureReason(error), { cause: error });
  }
}

function failureReason(error: unknown): string {
  if (error instanceof Error && error.name === 'AbortError')
    return `the server has been silent for ${SILENT_MS / 1000} s`;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return errorMessage(cause);
}

/** Returns the position of the answer's bytes in the file; undefined when they aren't those that were asked for. */
function firstByte({ status, headers }: Response, asked: number): number | undefined {
  if (status === 416) return undefined;
  if (status !== 206) return 0;
  const [, from] = /^bytes (\d+)-/.exec(headers.get('content-range') ?? '') ?? [];
  return Number(from) === asked ? asked : undefined;
}

function requireAnswer(response: Response, url: string): void {
  const { ok, status } = response;
  if (ok) return;
  if (isBusy(response)) throw new Interrupted(`the server answers ${status}`);
  throw new Fault('configuration', `cannot fetch ${url}: the server answers ${status}`);
}

/** Most servers say how much they send. */
function requireRoom(path: string, url: string, from: number, { headers }: Response): void {
  const bytes = Number(headers.get('content-length') ?? 0);
  if (from + bytes > MOST_BYTES) throw tooLarge(url);
  const { bavail, bsize } = onDisk(`cannot write ${path}`, () => statfsSync(dirname(path)));
  if (bytes > bavail * bsize)
    throw new Fault(
      'disk',
      `${url} has ${bytes} bytes more than are here, and the disk of ${path} has room for ${bavail * bsize}`,
    );
}

function tooLarge(url: string): Fault {
  return new Fault('configuration', `${url} has more than ${MOST_BYTES} bytes, which is no snapshot`);
}

function bodyBytes({ body }: Response): AsyncIterable<Uint8Array> {
  return body ?? nothing();
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

function writeAll(path: string, file: number, bytes: Uint8Array): void {
  onDisk(`cannot write ${path}`, () => {
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
  });
}

/** Returns the resumable part of that file. */
function resumable(path: string, url: string): { readonly bytes: number; readonly etag: string } | undefined {
  const { etag = '' } = readOrigin(path, url) ?? {};
  const bytes = fileSize(path);
  return etag === '' || bytes === 0 ? undefined : { bytes, etag };
}

function fileSize(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

function originPath(path: string): string {
  return `${path}.from`;
}

function noteOrigin(path: string, url: string, origin: Origin): void {
  writeWholeFile(originPath(path), `${JSON.stringify({ url, ...origin })}\n`);
}

function readOrigin(path: string, url: string): Origin | undefined {
  if (!existsSync(path) || !existsSync(originPath(path))) return undefined;
  const { url: from, etag, isWhole } = parseMembers(readFileSync(originPath(path), 'utf8')) ?? {};
  return from === url && typeof etag === 'string' && typeof isWhole === 'boolean' ? { etag, isWhole } : undefined;
}
