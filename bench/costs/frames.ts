// Reads what `perf script` prints about samples: which thread was on a core, and its stack from the innermost frame on.
import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath } from 'node:url';

/** A frame of a stack. */
export interface Frame {
  readonly name: string;
  readonly isKernel: boolean;
  /** The source file of a function in JavaScript, from the clone's root on or as Node names its own. */
  readonly file?: string;
  /** The compiled file of that function: each thread has one of its own. */
  readonly bundle?: string;
  /** The file of native code. */
  readonly object: string;
}

/** A moment at which a thread was on a core. */
export interface Sample {
  readonly thread: number;
  /** On the monotonic clock. */
  readonly seconds: number;
  readonly frames: readonly Frame[];
}

/** `--fields comm,tid,time,ip,sym,dso` */
const HEAD = /\s(\d+)\s+(\d+\.\d+):\s*$/;
const LINE = /^\s*[0-9a-f]+ (.*) \(([^()]*)\)$/;
/** V8's mark of the compiler, the name, and where the function begins. */
const JAVASCRIPT = /^JS:[~^+*]?'?(.*?) ?(\S+):(\d+):(\d+)$/;
const KERNEL = '[kernel.kallsyms]';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Reads samples from blocks of text that empty lines divide. */
export class SampleReader {
  readonly #maps = new Map<string, SourceMap | undefined>();
  /** The same few thousand lines come again and again. */
  readonly #frames = new Map<string, Frame | undefined>();

  /** The sample of one block; undefined for what is none. */
  read(lines: readonly string[]): Sample | undefined {
    const [head = '', ...stack] = lines;
    const found = HEAD.exec(head);
    if (found === null) return undefined;
    const frames = stack.flatMap((line) => this.#frame(line.trim()) ?? []);
    return { thread: Number(found[1]), seconds: Number(found[2]), frames };
  }

  #frame(line: string): Frame | undefined {
    if (!this.#frames.has(line)) this.#frames.set(line, this.#parse(line));
    return this.#frames.get(line);
  }

  #parse(line: string): Frame | undefined {
    const [, name, object] = LINE.exec(line) ?? [];
    if (name === undefined || object === undefined) return undefined;
    const [, own = '', place, row, column] = JAVASCRIPT.exec(name) ?? [];
    if (place === undefined) return { name, object, isKernel: object.startsWith(KERNEL) };
    const bundle = place.startsWith('file:') ? fileURLToPath(place) : place;
    return { name: own, object, isKernel: false, bundle, file: this.#source(bundle, Number(row), Number(column)) };
  }

  #source(bundle: string, row: number, column: number): string {
    const origin = this.#map(bundle)?.findOrigin(row, column);
    const source =
      origin !== undefined && 'fileName' in origin ? new URL(origin.fileName, `file://${bundle}`).pathname : bundle;
    return source.startsWith(root) ? source.slice(root.length) : source;
  }

  #map(bundle: string): SourceMap | undefined {
    if (!this.#maps.has(bundle)) this.#maps.set(bundle, readMap(bundle));
    return this.#maps.get(bundle);
  }
}

function readMap(bundle: string): SourceMap | undefined {
  if (!bundle.startsWith(root)) return undefined;
  try {
    const map: unknown = JSON.parse(readFileSync(`${bundle}.map`, 'utf8'));
    return isPayload(map) ? new SourceMap(map) : undefined;
  } catch {
    return undefined;
  }
}

function isPayload(map: unknown): map is SourceMapPayload {
  return typeof map === 'object' && map !== null && 'mappings' in map && 'sources' in map;
}
