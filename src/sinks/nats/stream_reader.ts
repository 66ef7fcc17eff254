import type { JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { readJson } from '../../codec/json_reader.ts';
import { findReader, schemaFingerprint, type EventRecord } from '../event_schema.ts';
import { UnusableStream, type Mark } from '../sink.ts';
import { readMark } from './message_headers.ts';
import { ANSWER_MS, connectToNats } from './nats_link.ts';
import type { NatsConnectionSettings } from './nats_settings.ts';

/** A message of a stream. */
export interface ReadMessage {
  readonly sequence: number;
  /** Undefined where no node has written it. */
  readonly mark: Mark | undefined;
  readonly record: EventRecord;
}

/** A stream as it is when it is opened. */
export interface ReadStream {
  readonly name: string;
  readonly first: number;
  readonly last: number;
  /** From the first to the last, in order. */
  messages(): AsyncGenerator<ReadMessage>;
  close(): Promise<void>;
}

/** Opens a stream of a node: the one of that name, or the only one there is. */
export async function openReadStream(settings: NatsConnectionSettings, named: string | undefined): Promise<ReadStream> {
  const { jetstream, jetstreamManager } = await import('@nats-io/jetstream');
  const connection = await connectToNats(settings, 'pharos stream check');
  try {
    const manager = await jetstreamManager(connection, { timeout: ANSWER_MS });
    const name = named ?? (await onlyStream(manager.streams.names('pharos.>')));
    const { state } = await manager.streams.info(name);
    const client = jetstream(connection, { timeout: ANSWER_MS });
    return {
      ...{ name, first: state.first_seq, last: state.last_seq },
      async *messages() {
        if (state.messages === 0) return;
        const consumer = await client.consumers.get(name);
        const found = await consumer.consume({ max_messages: AT_ONCE });
        for await (const message of stopWithConnection(found, connection)) {
          yield readMessage(message);
          // The last one may have been removed.
          if (message.seq >= state.last_seq || message.info.pending === 0) return;
        }
        throw new Error(`the stream ${name} ended before its message ${state.last_seq}`);
      },
      close: async () => await connection.close(),
    };
  } catch (error) {
    await connection.close().catch(() => undefined);
    throw error;
  }
}

const AT_ONCE = 256;

/** A node has not made its stream yet, or writes elsewhere. */
export class MissingStream extends UnusableStream {
  override readonly name = 'MissingStream';
}

/** The only one of these names. Throws MissingStream where there is none, UnusableStream where there are several. */
export async function onlyStream(names: AsyncIterable<string>): Promise<string> {
  const found: string[] = [];
  for await (const name of names) found.push(name);
  const [name] = found;
  if (name !== undefined && found.length === 1) return name;
  if (found.length === 0) throw new MissingStream('there is no stream of a node on that server');
  throw new UnusableStream(`there are several streams, name one of them: ${found.join(', ')}`);
}

/** A connection that is gone ends what waits for messages. */
async function* stopWithConnection(
  messages: AsyncIterable<JsMsg> & { stop(): void },
  connection: NatsConnection,
): AsyncGenerator<JsMsg> {
  void connection.closed().then(() => messages.stop());
  yield* messages;
}

/** Reads a message as a node has written it. Throws UnusableStream when its records have an unknown schema. */
export function readMessage(message: JsMsg): ReadMessage {
  const header = (name: string): string => message.headers?.get(name) ?? '';
  const { seq: sequence } = message;
  return { sequence, mark: readMark(header), record: decodeRecord(message.data, header) };
}

function decodeRecord(bytes: Uint8Array, header: (name: string) => string): EventRecord;
function decodeRecord(bytes: Uint8Array, header: (name: string) => string): unknown {
  if (header('Content-Type') === 'application/json') return readJson(bytes);
  const schema = header('Pharos-Schema');
  const read = findReader(schema);
  if (read === undefined)
    throw new UnusableStream(
      `its records have the schema ${schema === '' ? 'of nobody' : schema}, this program knows ${schemaFingerprint}`,
    );
  return read(Buffer.from(bytes));
}
