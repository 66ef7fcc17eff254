import { Refusal } from '../base/refusal.ts';

/** The figures of a node's `GET /metrics`: values by name with its labels. */
export type Figures = ReadonlyMap<string, number>;

/** A page of thousands of methods has half of that. */
const LARGEST_PAGE_BYTES = 4 * 1024 * 1024;
/** A node under load takes its time; the next look is as good. */
const PAGE_MS = 5000;

/** Asks for the figures once. */
export async function scrape(url: string): Promise<Figures> {
  const lines = (await fetchPage(url)).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
}

/** The text of a page; a Refusal says why there is none. */
export async function fetchPage(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(PAGE_MS) });
  if (!response.ok || response.body === null) throw new Refusal('http', `HTTP ${response.status}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const parts: AsyncIterable<Uint8Array> = response.body;
  for await (const chunk of parts) {
    bytes += chunk.length;
    if (bytes > LARGEST_PAGE_BYTES) throw new Refusal('too_large', `more than ${LARGEST_PAGE_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/**
 * Returns the growth of a count between two scrapes; of all that begin with `name`, when that ends within its labels.
 */
export function growth(before: Figures, after: Figures, name: string): number {
  const total = (figures: Figures): number =>
    [...figures].reduce(
      (sum, [key, value]) =>
        key === name || key.startsWith(name.includes('{') ? name : `${name}{`) ? sum + value : sum,
      0,
    );
  return total(after) - total(before);
}

/**
 * The upper edge of the class in which that share of what a histogram has counted between two scrapes lies, in
 * milliseconds; Infinity beyond the last edge, 0 when it has counted nothing.
 */
export function quantileMs(before: Figures, after: Figures, name: string, share: number): number {
  const count = growth(before, after, `${name}_count`);
  if (count === 0) return 0;
  const classes = [...after.keys()].flatMap((key) => {
    const edge = key.startsWith(`${name}_bucket{`) ? /le="([^"]+)"/.exec(key)?.[1] : undefined;
    return edge === undefined
      ? []
      : [{ seconds: edge === '+Inf' ? Infinity : Number(edge), within: growth(before, after, key) }];
  });
  const found = classes.sort((a, b) => a.seconds - b.seconds).find(({ within }) => within >= count * share);
  return (found?.seconds ?? Infinity) * 1000;
}
