import { Fault } from '../../base/fault.ts';
import { blockNumberOf } from '../../values/hash.ts';

/** The blocks that an operator has named. Fault `configuration` for two ids of one block, and for an id of another number. */
export function checkpointsOf(texts: readonly string[] = []): readonly (readonly [number, string])[] {
  const ids = new Map<number, string>();
  for (const [number, id] of texts.map(checkpointOf)) {
    if (blockNumberOf(id) !== number) fail(`checkpoint: the id ${id} is one of block ${blockNumberOf(id)}, not of block ${number}`);
    const other = ids.get(number) ?? id;
    if (other !== id) fail(`checkpoint: block ${number} is named twice, as ${other} and as ${id}; leave out the one that is wrong`);
    ids.set(number, id);
  }
  return [...ids];
}

function checkpointOf(text: string): readonly [number, string] {
  const match = /^\[\s*(\d{1,10})\s*,\s*"([0-9a-f]{40})"\s*\]$/.exec(text);
  return match === null ? fail(`checkpoint: [block number, "block id"] expected, got ${text}`) : [Number(match[1]), match[2] ?? ''];
}

function fail(message: string): never {
  throw new Fault('configuration', message);
}
