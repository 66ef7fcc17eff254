import type { WriteLine } from '../../base/log_events/index.ts';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Acknowledged } from '../../sinks/acknowledged.ts';
import { eventKinds, type Mark } from '../../sinks/sink.ts';
import { writeWholeFile } from '../../system/whole_file.ts';
import { explain } from '../../system/exit_codes.ts';
import { hexMember, isCount, parseMembers, toMembers } from '../../system/json_members.ts';
import { onDisk } from '../../system/system_error.ts';
import { ID_BYTES } from '../../values/hash.ts';

const ACKNOWLEDGED_FILE = 'sink_acknowledged.json';

/**
 * Keeps in the data folder up to where a stream was acknowledged, so that a node that was stopped while its server lost
 * messages tells of it.
 */
export class AcknowledgedFile {
  readonly #path: string;
  readonly #stream: string;
  readonly #warn: WriteLine<'warning'>;
  #hasFailed = false;

  /** Of the stream with that name; the note of another one says nothing of it. */
  constructor(folder: string, stream: string, warn: WriteLine<'warning'>) {
    this.#path = join(folder, ACKNOWLEDGED_FILE);
    this.#stream = stream;
    this.#warn = warn;
  }

  /** Undefined where nothing is known of this stream; a damaged file is told. */
  read(): Acknowledged | undefined {
    return this.#unlessFailed(() => {
      if (!existsSync(this.#path)) return undefined;
      const { stream, ...members } =
        parseMembers(onDisk(`cannot read ${this.#path}`, () => readFileSync(this.#path, 'utf8'))) ?? {};
      const found = parseAcknowledged(members);
      if (found === undefined || typeof stream !== 'string')
        this.#warn(
          `${this.#path} is damaged: it says up to where the event stream was acknowledged; compare the stream with pharos stream check, since messages that its server lost while this node was stopped are not noticed; the file is written anew`,
          'stream_note_damaged',
          {},
        );
      return stream === this.#stream ? found : undefined;
    });
  }

  write(acknowledged: Acknowledged): void {
    this.#unlessFailed(() =>
      writeWholeFile(this.#path, `${JSON.stringify({ stream: this.#stream, ...acknowledged }, undefined, 1)}\n`),
    );
  }

  /** A full disk does not stop the stream: it is said once, then the file is left alone. */
  #unlessFailed<T>(call: () => T): T | undefined {
    if (this.#hasFailed) return undefined;
    try {
      return call();
    } catch (error) {
      this.#hasFailed = true;
      this.#warn(
        `a restarted node will not notice messages that the event stream lost meanwhile: ${explain(error)}`,
        'stream_note_unwritable',
        {},
      );
      return undefined;
    }
  }
}

function parseAcknowledged({ created, sequence, mark }: Readonly<Record<string, unknown>>): Acknowledged | undefined {
  const last = mark === undefined ? undefined : parseMark(mark);
  if (typeof created !== 'string' || !isCount(sequence) || (mark !== undefined && last === undefined)) return undefined;
  return { created, sequence, mark: last };
}

function parseMark(value: unknown): Mark | undefined {
  const { event, message, isEnd, irreversible, form, ...ids } = toMembers(value) ?? {};
  const [block, previous, head] = [ids['block'], ids['previous'], ids['head']].map((id) => hexMember(id, ID_BYTES));
  const kind = eventKinds.find((each) => each === event);
  if (kind === undefined || block === undefined || previous === undefined || head === undefined) return undefined;
  if (!isCount(message) || typeof isEnd !== 'boolean' || !isCount(irreversible) || typeof form !== 'string')
    return undefined;
  return { event: kind, block, previous, head, message, isEnd, irreversible, form };
}
