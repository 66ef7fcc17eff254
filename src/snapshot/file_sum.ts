import { createReadStream } from 'node:fs';
import { errorMessage } from '../base/error_message.ts';
import { Fault } from '../base/fault.ts';
import { newSha256 } from '../crypto/running_sha256.ts';

/** The sha256 of a file, as sha256sum prints it. Fault `configuration` when it can't be read. */
export async function fileSum(path: string): Promise<string> {
  const sum = newSha256();
  const file: AsyncIterable<Uint8Array> = createReadStream(path);
  try {
    for await (const bytes of file) sum.update(bytes);
  } catch (error) {
    throw new Fault('configuration', `cannot read ${path}: ${errorMessage(error)}`, error);
  }
  return sum.hex();
}

/** Fault `configuration` unless the file has that sha256, 64 hex digits. */
export async function requireFileSum(path: string, expected: string): Promise<void> {
  if (!/^[0-9a-f]{64}$/i.test(expected))
    throw new Fault('configuration', `sha256: 64 hexadecimal digits expected, got ${expected}`);
  const found = await fileSum(path);
  if (found !== expected.toLowerCase())
    throw new Fault('configuration', `${path} has sha256 ${found}, not the one that was given`);
}
