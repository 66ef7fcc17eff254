import { Answer, useAsked, useTitle } from '../asked.tsx';
import type { BlockListener, Client } from '../../../client/index.ts';
import { fetchBlockFigures, fullnessText } from '../block_figures.ts';
import { head, headNumber } from '../live.tsx';
import { AccountLink, BlockLink, Pager, Table, Time, type Column } from '../parts.tsx';
import { viewLink, type ViewProps } from '../router.ts';
import type { SeenBlock } from '../../../client/slots.ts';
import { countText, counted } from '../../../values/words.ts';

const PAGE = 25;

/** Blocks, the newest first, page by page. */
export function Blocks({ route: { at } }: ViewProps) {
  useTitle('Blocks');
  const newest = at === '' ? headNumber.value : Math.min(/^\d+$/.test(at) ? Number(at) : 0, headNumber.value);
  const first = Math.max(1, newest - PAGE + 1);
  const isAtEnd = at === '' || newest >= headNumber.value;
  const asked = useAsked(
    at === '' ? 'newest' : `${first}-${newest}`,
    async (client) => await fetchListedBlocks(client, first, newest),
    isAtEnd ? newest : '',
  );
  return (
    <>
      <h1 tabIndex={-1}>Blocks</h1>
      <p class="quiet">
        {at === '' && 'The newest blocks; more come by themselves. '}
        {at !== '' && newest >= first && `Blocks ${countText(first)} to ${countText(newest)}. `}
        The chain has {counted(headNumber.value, 'block')}.
      </p>
      <Answer asked={asked}>
        {(blocks) => (
          <Table
            caption="Blocks, the newest first"
            columns={columns}
            rows={blocks}
            keyOf={({ block }) => block.number}
            none={NONE}
          />
        )}
      </Answer>
      <Pager
        newer={isAtEnd ? undefined : viewLink('blocks', '', '', newest + PAGE >= headNumber.value ? '' : newest + PAGE)}
        older={first === 1 ? undefined : viewLink('blocks', '', '', first - 1)}
      />
    </>
  );
}

const NONE =
  'There is no block here. The chain may have none yet; a node that joins a network fetches them from its peers.';

const columns: readonly Column<ListedBlock>[] = [
  { name: 'Block', kind: 'text', cell: ({ block: { number } }) => <BlockLink number={number} /> },
  { name: 'When', kind: 'text', cell: ({ block: { timestamp } }) => <Time at={timestamp} /> },
  { name: 'Witness', kind: 'text', cell: ({ block: { witness } }) => <AccountLink name={witness} /> },
  { name: 'Transactions', kind: 'number', cell: ({ block: { transaction_count: count } }) => countText(count) },
  { name: 'Size', kind: 'number', cell: ({ bytes }) => (bytes === undefined ? '–' : counted(bytes, 'byte')) },
  {
    name: 'Fullness',
    kind: 'number',
    cell: ({ bytes }) => (bytes === undefined ? '–' : fullnessText(bytes, head.value?.maximum_block_size ?? 0)),
  },
];

interface ListedBlock {
  readonly block: SeenBlock;
  /** Undefined if the node does not tell it. */
  readonly bytes: number | undefined;
}

async function fetchListedBlocks(client: Client, first: number, last: number): Promise<ListedBlock[]> {
  if (last < first || last === 0) return [];
  const [blocks, figures] = await Promise.all([fetchBlocks(client, first, last), fetchBlockFigures(first, last)]);
  return blocks.map((block) => ({ block, bytes: figures.get(block.number)?.bytes }));
}

/** A block without what it holds, which may be megabytes: as subscribers are told of it. */
async function fetchBlocks(client: Client, first: number, last: number): Promise<SeenBlock[]> {
  const found: SeenBlock[] = [];
  let stop = (): void => {};
  try {
    await new Promise<void>((resolve, reject) => {
      const listener: BlockListener = {
        block(block) {
          if (block.number <= last) found.push(block);
          if (block.number >= last) resolve();
        },
        undone: () => resolve(),
        failed: (error) => reject(error instanceof Error ? error : new Error(String(error))),
      };
      client.followBlocks({ startBlock: first }, listener).then((following) => (stop = () => following.stop()), reject);
    });
  } finally {
    stop();
  }
  return found.reverse();
}
