import { Answer, useAsked, useTitle } from '../asked.tsx';
import type { BlockListener, Client } from '../../../client/index.ts';
import { headNumber } from '../live.tsx';
import { AccountLink, BlockLink, Pager, Table, Time, type Column } from '../parts.tsx';
import { linkTo, type ViewProps } from '../router.ts';
import type { SeenBlock } from '../slots.ts';
import { countText, counted } from '../words.ts';

const PAGE = 25;

/** Blocks, the newest first, page by page. */
export function Blocks({ route: { at } }: ViewProps) {
  useTitle('Blocks');
  const newest = at === '' ? headNumber.value : Math.min(/^\d+$/.test(at) ? Number(at) : 0, headNumber.value);
  const first = Math.max(1, newest - PAGE + 1);
  const isAtEnd = at === '' || newest >= headNumber.value;
  const asked = useAsked(
    at === '' ? 'newest' : `${first}-${newest}`,
    async (client) => await blocksIn(client, first, newest),
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
            keyOf={({ number }) => number}
            none={NONE}
          />
        )}
      </Answer>
      <Pager
        newer={isAtEnd ? undefined : linkTo('blocks', '', '', newest + PAGE >= headNumber.value ? '' : newest + PAGE)}
        older={first === 1 ? undefined : linkTo('blocks', '', '', first - 1)}
      />
    </>
  );
}

const NONE =
  'There is no block here. The chain may have none yet; a node that joins a network fetches them from its peers.';

const columns: readonly Column<SeenBlock>[] = [
  { name: 'Block', kind: 'text', cell: ({ number }) => <BlockLink number={number} /> },
  { name: 'When', kind: 'text', cell: ({ timestamp }) => <Time at={timestamp} /> },
  { name: 'Witness', kind: 'text', cell: ({ witness }) => <AccountLink name={witness} /> },
  { name: 'Transactions', kind: 'number', cell: ({ transaction_count: count }) => countText(count) },
];

/** A block without what it holds, which may be megabytes: as subscribers are told of it. */
async function blocksIn(client: Client, first: number, last: number): Promise<SeenBlock[]> {
  if (last < first || last === 0) return [];
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
