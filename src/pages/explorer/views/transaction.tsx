import { useEffect, useState } from 'preact/hooks';
import type { Client, Operation, Result } from '../../../client/index.ts';
import type { SignedTransaction } from '../../../client/transaction_signers.ts';
import { Answer, useAnswer, useAsked, useTitle } from '../asked.tsx';
import { Copy } from '../copy.tsx';
import { Raw } from '../json.tsx';
import { headNumber } from '../live.tsx';
import { BlockLink, Facts, Id, Section, Sentence, Time } from '../parts.tsx';
import { fetchPending, seenPending } from '../pending_transaction.ts';
import { Signers } from '../signers.tsx';
import { Proof } from '../proof.tsx';
import { viewLink, type ViewProps } from '../router.ts';
import { BlockStanding } from '../standing.tsx';
import { unlessRefused } from '../unless_refused.ts';
import { counted, shortText } from '../../../values/words.ts';
import { momentText } from '../zone.tsx';

type Standing = Result<'transaction_status_api.find_transaction'>;
type Shown = Result<'alexandria_api.get_transaction'>['tx'];

interface Found {
  readonly standing: Standing;
  /** Undefined while no block has it. */
  readonly tx: Shown | undefined;
}

export function Transaction({ route }: ViewProps) {
  return /^[0-9a-f]{40}$/i.test(route.of) ? <TransactionOf id={route.of} /> : <NoId text={route.of} />;
}

/** A text in place of an id: addresses are typed by hand, and copied in part. */
function NoId({ text }: { readonly text: string }) {
  useTitle('Transaction');
  return (
    <>
      <h1 tabIndex={-1}>Transaction</h1>
      <p class="notice">
        “<bdi>{text}</bdi>” is not the id of a transaction, which has 40 digits of 0–9 and a–f. The search finds one by
        the first eight of them or more: <a href={viewLink('search', text)}>search for “{text}”</a>.
      </p>
    </>
  );
}

/** A transaction: where it stands, what it does, who signed. */
function TransactionOf({ id }: { readonly id: string }) {
  useTitle(`Transaction ${shortText(id)}`);
  // A pending one gets a block, and one whose block is replaced gets another.
  const [isFinal, setFinal] = useState(false);
  const asked = useAsked(id, async (client) => await findTransaction(client, id), isFinal ? 'final' : headNumber.value);
  const status = asked !== undefined && 'answer' in asked ? asked.answer.standing.status : undefined;
  useEffect(() => setFinal(status === 'final'), [status]);
  return (
    <>
      <h1 tabIndex={-1}>Transaction</h1>
      <p class="id whole">
        <bdi>{id}</bdi> <Copy text={id} what="the id" />
      </p>
      <Answer asked={asked}>
        {({ standing, tx }) => (
          <>
            <Steps standing={standing} />
            {tx === undefined ? <Unplaced id={id} standing={standing} /> : <Placed id={id} tx={tx} />}
          </>
        )}
      </Answer>
    </>
  );
}

async function findTransaction(client: Client, id: string): Promise<Found> {
  const standing = await client.call('transaction_status_api.find_transaction', { transaction_id: id });
  if (standing.status === 'pending') await fetchPending(id);
  if (standing.status !== 'in_block' && standing.status !== 'final') return { standing, tx: undefined };
  const found = await unlessRefused(async () => await client.call('alexandria_api.get_transaction', { tx_id: id }));
  // Its block was undone meanwhile.
  if (found === undefined) return { standing: { status: 'unknown' }, tx: undefined };
  return { standing, tx: found.tx };
}

const STEPS = ['pending', 'in_block', 'final'] as const;
const STEP_NAMES = { pending: 'Pending', in_block: 'In a block', final: 'Final' } as const;

/** Marks the steps that a transaction has reached, and follows it live. */
function Steps({ standing: { status } }: Pick<Found, 'standing'>) {
  const reached = STEPS.findIndex((step) => step === status);
  if (reached === -1) return null;
  return (
    <ol class="steps" aria-label="Status">
      {STEPS.map((step, index) => (
        <li
          key={step}
          class={index <= reached ? 'reached' : undefined}
          aria-current={index === reached ? 'step' : undefined}
        >
          {STEP_NAMES[step]}
        </li>
      ))}
    </ol>
  );
}

/** A transaction that no block has: its status, and its contents if this page has seen it while it was pending. */
function Unplaced({ id, standing }: { readonly id: string } & Pick<Found, 'standing'>) {
  const tx = seenPending(id);
  const isPending = standing.status === 'pending';
  return (
    <>
      <p class="notice" role="status">
        {unplacedText(standing)}
      </p>
      {tx !== undefined && (
        <>
          <Facts of={[[isPending ? 'Expires' : 'Would have expired', momentText(tx.expiration)]]} />
          <Contents
            title={isPending ? 'What will stand in the block' : 'What would have stood in a block'}
            tx={tx}
            isPending={isPending}
          />
        </>
      )}
    </>
  );
}

function unplacedText({ status, reason }: Standing): string {
  switch (status) {
    case 'pending':
      return 'It waits for a block at this node. This page shows the block once it has one.';
    case 'dropped':
      return `This node has dropped it: ${reason?.message ?? 'no reason is known'}. Nothing of it was done.`;
    case 'expired':
      return 'It has expired: no block has it, and none can take it any more.';
    case 'too_old':
      return 'This node keeps no blocks of that age, and can not tell whether one of them has it.';
    default:
      return 'Unknown here: no block of this chain holds a transaction with this id, and none waits with it. This page asks again with each block.';
  }
}

function Placed({ id, tx }: { readonly id: string; readonly tx: Shown }) {
  return (
    <>
      <Facts
        of={[
          [
            'Block',
            <>
              <BlockLink number={tx.block_num} />, {counted(Math.max(0, headNumber.value - tx.block_num), 'block')}{' '}
              below the head
              <BlockTime number={tx.block_num} />
            </>,
          ],
          [
            'Finality',
            <>
              its block is <BlockStanding number={tx.block_num} />
            </>,
          ],
          [
            'Proof',
            <Proof
              of={id}
              unproven="The proof covers the id, the block, the operations and the expiration. It does not cover the signers: the node names them."
              prove={async (checkpoint) =>
                await (await import('../proving.tsx')).proofOfTransaction(checkpoint, id, tx)
              }
            />,
          ],
          ['Place in the block', tx.transaction_num + 1],
          ['Would have expired', momentText(tx.expiration)],
        ]}
      />
      <Contents title="What it does" tx={tx} />
    </>
  );
}

interface ContentsProps {
  readonly title: string;
  readonly tx: SignedTransaction;
  readonly isPending?: boolean;
}

/** The operations of a transaction, its signers, and all of it as JSON. */
function Contents({ title, tx, isPending = false }: ContentsProps) {
  return (
    <>
      <Operations title={title} of={tx.operations} />
      <Section title={counted(tx.signatures.length, 'signature')}>
        <Signers tx={tx} isPending={isPending} />
        <ol class="operations">
          {tx.signatures.map((signature) => (
            <li key={signature}>
              <Id text={signature} what="the signature" />
            </li>
          ))}
        </ol>
      </Section>
      <Raw title="The transaction as JSON" of={tx} />
    </>
  );
}

function BlockTime({ number }: { readonly number: number }) {
  const time = useAnswer(
    'The time of the block',
    String(number),
    async (client) => (await client.call('block_api.get_block_header', { block_num: number }))?.timestamp,
  );
  return time === undefined ? null : (
    <>
      , {momentText(time)}, <Time at={time} />
    </>
  );
}

/** Operations in words, each with its members as JSON. */
function Operations({ title, of }: { readonly title: string; readonly of: readonly Operation[] }) {
  return (
    <Section title={title}>
      <ol class="operations">
        {of.map((operation, index) => (
          <li key={index}>
            <Sentence operation={operation} />
            <small>
              {operation[0].replaceAll('_', ' ')}
              {'fee' in operation[1] && `, fee ${operation[1].fee}`}
            </small>
            <Raw title="As JSON" of={operation} />
          </li>
        ))}
      </ol>
    </Section>
  );
}
