import { isObject, optionalNodePage } from './node_page.ts';

/** The id and the size of a block, from a page of the node beside the calls. */
export interface BlockFigure {
  readonly number: number;
  readonly id: string;
  readonly bytes: number;
  readonly transactions: number;
}

/** Fetches figures of blocks, by their numbers. There are none behind a proxy that does not pass the page on. */
export async function fetchBlockFigures(first: number, last: number): Promise<ReadonlyMap<number, BlockFigure>> {
  const figures = await optionalNodePage(
    'Ids and sizes of blocks',
    `chain/blocks/${first}-${last}.json`,
    readBlockFigures,
  );
  return new Map(figures?.map((figure) => [figure.number, figure]));
}

/** Reads the node's answer; undefined for what is no such answer. */
export function readBlockFigures(json: unknown): readonly BlockFigure[] | undefined {
  return isObject(json) && Array.isArray(json.blocks) ? json.blocks.filter(isFigure) : undefined;
}

function isFigure(value: unknown): value is BlockFigure {
  if (!isObject(value)) return false;
  const { number, id, bytes, transactions } = value;
  return typeof id === 'string' && [number, bytes, transactions].every((each) => typeof each === 'number');
}

/** Returns the size of a block as a share of the largest: `4.1 %`. */
export function fullnessText(bytes: number, maximumBytes: number): string {
  const percent = maximumBytes === 0 ? 0 : (100 * bytes) / maximumBytes;
  return `${percent >= 10 ? percent.toFixed(0) : percent.toFixed(1)} %`;
}
