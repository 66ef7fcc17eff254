import { positionBytes } from './block_log_writer.ts';

/** A stream that is written to in pieces, such as standard output. */
interface Output {
  write(bytes: Uint8Array, done: (error?: Error | null) => void): boolean;
}

/** The stream gathers this many bytes before it writes. */
const PIECE_BYTES = 64 * 1024;

/**
 * Writes a block log to a stream, at the speed of its reader. Returns the length; undefined when the reader closed it
 * before the end.
 */
export async function streamBlockLog(out: Output, blocks: AsyncIterable<Uint8Array>): Promise<number | undefined> {
  let position = 0;
  let gathered: Uint8Array[] = [];
  let bytes = 0;
  const flush = async (): Promise<boolean> => {
    const isTaken = await written(out, Buffer.concat(gathered));
    gathered = [];
    bytes = 0;
    return isTaken;
  };
  for await (const packed of blocks) {
    gathered.push(packed, positionBytes(position));
    bytes += packed.length + 8;
    position += packed.length + 8;
    if (bytes >= PIECE_BYTES && !(await flush())) return undefined;
  }
  return (await flush()) ? position : undefined;
}

/** False when nobody reads any more, as behind `| head`. */
async function written(out: Output, piece: Uint8Array): Promise<boolean> {
  return await new Promise((resolve, reject) => {
    out.write(piece, (error) => {
      if (error === undefined || error === null) resolve(true);
      else if ('code' in error && (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED')) resolve(false);
      else reject(error);
    });
  });
}
