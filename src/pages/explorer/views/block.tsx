import { Answer, useAsked, useTitle } from '../asked.tsx';
import type { Result } from '../../../client/index.ts';
import { standingText } from '../finality.ts';
import { finality, head, headNumber } from '../live.tsx';
import { AccountLink, BlockLink, Facts, Pager, Section, Sentence, Time, TransactionLink } from '../parts.tsx';
import { Proof } from '../proof.tsx';
import { linkTo, type ViewProps } from '../router.ts';
import { countText, counted, timeText } from '../words.ts';

const PAGE = 100;
const NO_TRANSACTION = '0'.repeat(40);

type Entry = Result<'account_history_api.get_ops_in_block'>['ops'][number];

/** A block and what happened in it, by its transactions and by the chain itself. */
export function Block({ route: { of, at } }: ViewProps) {
  const number = Number(of);
  const isNumber = Number.isSafeInteger(number) && number > 0;
  useTitle(`Block ${of}`);
  // One that is yet to come is asked for again with each block, until it is there.
  const each = number > headNumber.value ? headNumber.value : '';
  const { before, place } = startOf(at);
  const asked = useAsked(
    `${of} ${place}`,
    async (client) => {
      if (!isNumber || number > 0xffff_ffff) return undefined;
      const header = await client.call('block_api.get_block_header', { block_num: number });
      if (header === null) return undefined;
      const { ops, cursor = null } = await client.call('account_history_api.get_ops_in_block', {
        ...{ block_num: number, limit: PAGE, cursor: place === '' ? null : place },
      });
      return { header, ops, cursor };
    },
    each,
  );
  return (
    <>
      <h1 tabIndex={-1}>Block {isNumber ? countText(number) : of}</h1>
      <Answer asked={asked}>
        {(found) =>
          found === undefined ? (
            <NoBlock isNumber={isNumber} number={number} />
          ) : (
            <>
              <BlockFacts
                number={number}
                header={found.header}
                ops={found.ops}
                isWhole={place === '' && found.cursor === null}
              />
              <Operations number={number} ops={found.ops} before={before} next={found.cursor} />
              <Pager
                newer={number < headNumber.value ? linkTo('block', number + 1) : undefined}
                older={number > 1 ? linkTo('block', number - 1) : undefined}
              />
            </>
          )
        }
      </Answer>
    </>
  );
}

/** Where a page of operations begins: how many are before it, and the cursor of the page before. */
function startOf(at: string): { readonly before: number; readonly place: string } {
  const [, before = '0', place = ''] = /^(\d{1,9}) (\d+ \d+ \d+)$/.exec(at) ?? [];
  return { before: Number(before), place };
}

function NoBlock({ isNumber, number }: { readonly isNumber: boolean; readonly number: number }) {
  if (!isNumber)
    return (
      <p class="notice">
        Blocks have numbers from 1 on. Look at <a href={linkTo('blocks')}>the newest ones</a>.
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
}

function BlockFacts({ number, header, ops, isWhole }: BlockProps & { readonly isWhole: boolean }) {
  const irreversible = head.value?.last_irreversible_block_num ?? 0;
  const transactions = new Set(ops.filter(({ trx_id }) => trx_id !== NO_TRANSACTION).map(({ trx_id }) => trx_id));
  return (
    <Facts
      of={[
        [
          'Time',
          <>
            {timeText(header.timestamp)} UTC, <Time at={header.timestamp} />
          </>,
        ],
        ['Witness', <AccountLink name={header.witness} />],
        [
          'Holds',
          isWhole
            ? `${counted(transactions.size, 'transaction')}, ${counted(ops.length, 'operation')}`
            : `more than ${PAGE} operations`,
        ],
        ['Standing', standingText(number, irreversible, finality.value?.confirmed)],
        [
          'Proof of its header',
          <Proof
            of={String(number)}
            prove={async (checkpoint) =>
              await (await import('../proving.tsx')).proofOfBlock(checkpoint, number, header)
            }
          />,
        ],
        [
          'Block before',
          number > 1 ? (
            <>
              <BlockLink number={number - 1} /> <span class="id">{header.previous}</span>
            </>
          ) : (
            'none: this is the first'
          ),
        ],
        ['Merkle root', <span class="id">{header.transaction_merkle_root}</span>],
      ]}
    />
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
      <ol class="operations" start={before + 1}>
        {ops.map((entry) => (
          <li key={`${entry.trx_in_block} ${entry.op_in_trx} ${entry.virtual_op}`}>
            <Sentence operation={entry.op} />
            <small>
              {entry.trx_id === NO_TRANSACTION ? (
                'by the chain itself'
              ) : (
                <>
                  in <TransactionLink id={entry.trx_id} />
                </>
              )}
            </small>
          </li>
        ))}
      </ol>
      <Pager
        newer={before === 0 ? undefined : linkTo('block', number)}
        older={next === null ? undefined : linkTo('block', number, '', `${before + ops.length} ${next}`)}
        words={['← First', 'Next →']}
      />
    </Section>
  );
}
