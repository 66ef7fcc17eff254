import { useEffect } from 'preact/hooks';
import { Answer, useAsked, useTitle } from '../asked.tsx';
import type { Result } from '../../../client/index.ts';
import { fetchBlockFigures, fullnessText, type BlockFigure } from '../block_figures.ts';
import { head, headNumber } from '../live.tsx';
import { NO_TRANSACTION } from '../no_transaction.ts';
import { AccountLink, BlockLink, Facts, Id, Pager, Section, Sentence, Time, TransactionLink } from '../parts.tsx';
import { Proof } from '../proof.tsx';
import { viewLink, type ViewProps } from '../router.ts';
import { BlockStanding } from '../standing.tsx';
import { countText, counted } from '../../../values/words.ts';
import { momentText } from '../zone.tsx';

const PAGE = 100;

type Entry = Result<'account_history_api.get_ops_in_block'>['ops'][number];

/** A block and what happened in it, by its transactions and by the chain itself. */
export function Block({ route: { of, at } }: ViewProps) {
  const number = Number(of);
  const isNumber = Number.isSafeInteger(number) && number > 0;
  useTitle(`Block ${of}`);
  useNeighbourKeys(isNumber ? number : 0);
  // One that is yet to come is asked for again with each block, until it is there.
  const each = number > headNumber.value ? headNumber.value : '';
  const { before, place } = pageStart(at);
  const asked = useAsked(
    `${of} ${place}`,
    async (client) => {
      if (!isNumber || number > 0xffff_ffff) return undefined;
      const header = await client.call('block_api.get_block_header', { block_num: number });
      if (header === null) return undefined;
      const [{ ops, cursor = null }, figures] = await Promise.all([
        client.call('account_history_api.get_ops_in_block', {
          ...{ block_num: number, limit: PAGE, cursor: place === '' ? null : place },
        }),
        fetchBlockFigures(number, number),
      ]);
      return { header, ops, cursor, figure: figures.get(number) };
    },
    each,
  );
  return (
    <>
      <h1 tabIndex={-1}>Block {isNumber ? countText(number) : <bdi>{of}</bdi>}</h1>
      <Answer asked={asked}>
        {(found) =>
          found === undefined ? (
            <NoBlock isNumber={isNumber} number={number} />
          ) : (
            <>
              <Neighbours number={number} />
              <BlockFacts
                number={number}
                header={found.header}
                figure={found.figure}
                ops={found.ops}
                isWhole={place === '' && found.cursor === null}
              />
              <Operations number={number} ops={found.ops} before={before} next={found.cursor} />
            </>
          )
        }
      </Answer>
    </>
  );
}

/** Links to the blocks before and after, which the arrow keys follow as well. */
function Neighbours({ number }: { readonly number: number }) {
  return (
    <nav class="pager" aria-label="Neighbours">
      {number > 1 ? <a href={viewLink('block', number - 1)}>← Block {countText(number - 1)}</a> : <span />}
      {number < headNumber.value ? (
        <a href={viewLink('block', number + 1)}>Block {countText(number + 1)} →</a>
      ) : (
        <span class="quiet">the newest</span>
      )}
    </nav>
  );
}

/** The arrow keys lead to the neighbours of a block; 0 stands for none. */
function useNeighbourKeys(number: number): void {
  const newest = headNumber.value;
  useEffect(() => {
    const hear = (event: KeyboardEvent): void => {
      const { target, key } = event;
      if (number === 0 || target instanceof HTMLInputElement) return;
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      if (key === 'ArrowLeft' && number > 1) location.hash = viewLink('block', number - 1);
      if (key === 'ArrowRight' && number < newest) location.hash = viewLink('block', number + 1);
    };
    addEventListener('keydown', hear);
    return () => removeEventListener('keydown', hear);
  }, [number, newest]);
}

/** Returns the start of a page of operations: the number of earlier ones, and the cursor of the page before. */
function pageStart(at: string): { readonly before: number; readonly place: string } {
  const [, before = '0', place = ''] = /^(\d{1,9}) (\d+ \d+ \d+)$/.exec(at) ?? [];
  return { before: Number(before), place };
}

function NoBlock({ isNumber, number }: { readonly isNumber: boolean; readonly number: number }) {
  if (!isNumber)
    return (
      <p class="notice">
        Blocks have numbers from 1 on. Look at <a href={viewLink('blocks')}>the newest ones</a>.
      </p>
    );
  return (
    <p class="notice">
      The chain has no block {countText(number)} yet: its head is block <BlockLink number={headNumber.value} />. This
      page shows it once it is there.
    </p>
  );
}

interface BlockProps {
  readonly number: number;
  readonly header: NonNullable<Result<'block_api.get_block_header'>>;
  readonly ops: readonly Entry[];
  readonly figure: BlockFigure | undefined;
}

function BlockFacts({ number, header, ops, figure, isWhole }: BlockProps & { readonly isWhole: boolean }) {
  const shown = new Set(ops.filter(({ trx_id }) => trx_id !== NO_TRANSACTION).map(({ trx_id }) => trx_id));
  const transactions = isWhole ? shown.size : figure?.transactions;
  return (
    <Facts
      of={[
        [
          'Time',
          <>
            {momentText(header.timestamp)}, <Time at={header.timestamp} />
          </>,
        ],
        ...(figure === undefined ? [] : [['Id', <Id text={figure.id} what="the id of the block" />] as const]),
        ['Witness', <AccountLink name={header.witness} />],
        [
          'Holds',
          [
            ...(transactions === undefined ? [] : [counted(transactions, 'transaction')]),
            isWhole ? counted(ops.length, 'operation') : `more than ${PAGE} operations`,
          ].join(', '),
        ],
        ...(figure === undefined ? [] : [['Size', <Size bytes={figure.bytes} />] as const]),
        ['Finality', <BlockStanding number={number} />],
        [
          'Proof of its header',
          <Proof
            of={String(number)}
            unproven="The proof covers the header and the id. It does not cover the size and the list of operations: each transaction has a proof of its own, and the chain's own operations have none."
            prove={async (checkpoint) =>
              await (await import('../proving.tsx')).proofOfBlock(checkpoint, number, { ...header, id: figure?.id })
            }
          />,
        ],
        [
          'Block before',
          number > 1 ? (
            <>
              <BlockLink number={number - 1} /> <Id text={header.previous} what="the id of the block before" />
            </>
          ) : (
            'none: this is the first'
          ),
        ],
        ['Merkle root', <Id text={header.transaction_merkle_root} what="the Merkle root" />],
      ]}
    />
  );
}

/** The size of a block, and its share of the largest size that the chain allows today. */
function Size({ bytes }: { readonly bytes: number }) {
  const most = head.value?.maximum_block_size ?? 0;
  return (
    <>
      {counted(bytes, 'byte')}, {fullnessText(bytes, most)} of {counted(most, 'byte')}{' '}
      <meter min={0} max={most} value={bytes} aria-label="Fullness of the block" />
    </>
  );
}

interface OperationsProps extends Pick<BlockProps, 'number' | 'ops'> {
  /** Operations on earlier pages. */
  readonly before: number;
  /** The cursor of the next page. */
  readonly next: string | null;
}

function Operations({ number, ops, before, next }: OperationsProps) {
  return (
    <Section title="What happened">
      {ops.length === 0 && (
        <p class="notice">Nothing: no transaction is in this block, and the chain did nothing of its own in it.</p>
      )}
      <ol class="operations">
        {groupByTransaction(ops).map((entries) => (
          <TransactionItem
            key={`${entries[0]?.trx_in_block} ${entries[0]?.op_in_trx} ${entries[0]?.virtual_op}`}
            entries={entries}
            isCut={entries[0]?.op_in_trx !== 0 || next?.startsWith(`${entries[0].trx_in_block} `) === true}
          />
        ))}
      </ol>
      <Pager
        newer={before === 0 ? undefined : viewLink('block', number)}
        older={next === null ? undefined : viewLink('block', number, '', `${before + ops.length} ${next}`)}
        words={['← First', 'Next →']}
      />
    </Section>
  );
}

/** Groups operations by transaction; each of the chain's own stands alone. */
function groupByTransaction(ops: readonly Entry[]): Entry[][] {
  const groups: Entry[][] = [];
  for (const entry of ops) {
    const group = groups.at(-1);
    if (group !== undefined && entry.trx_id !== NO_TRANSACTION && group[0]?.trx_id === entry.trx_id) group.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

interface ItemProps {
  readonly entries: readonly Entry[];
  /** True if other operations of the transaction are on another page. */
  readonly isCut: boolean;
}

function TransactionItem({ entries, isCut }: ItemProps) {
  const id = entries[0]?.trx_id ?? NO_TRANSACTION;
  return (
    <li>
      {entries.map(({ op, op_in_trx, virtual_op }) => (
        <div key={`${op_in_trx} ${virtual_op}`}>
          <Sentence operation={op} />
        </div>
      ))}
      <small>
        {id === NO_TRANSACTION ? (
          'by the chain itself'
        ) : (
          <>
            in <TransactionLink id={id} />
            {isCut
              ? `, with ${counted(entries.length, 'operation')} on this page and others on another`
              : entries.length > 1 && `, with ${counted(entries.length, 'operation')}`}
          </>
        )}
      </small>
    </li>
  );
}
