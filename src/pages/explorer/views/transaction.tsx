import { Answer, useAsked, useTitle } from '../asked.tsx';
import { standingText } from '../finality.ts';
import { finality, head, headNumber } from '../live.tsx';
import { BlockLink, Facts, Raw, Section, Sentence } from '../parts.tsx';
import { Proof } from '../proof.tsx';
import type { ViewProps } from '../router.ts';
import { counted, shortText, timeText } from '../words.ts';

/** A transaction: where it stands, what it does, who signed. */
export function Transaction({ route: { of: id } }: ViewProps) {
  useTitle(`Transaction ${shortText(id)}`);
  // One that waits gets a block, and one whose block is replaced gets another.
  const asked = useAsked(
    id,
    async (client) => await client.call('alexandria_api.get_transaction', { tx_id: id }),
    headNumber.value,
  );
  return (
    <>
      <h1 tabIndex={-1}>Transaction</h1>
      <p class="id whole">{id}</p>
      <Answer asked={asked}>
        {({ tx }) => (
          <>
            <Facts
              of={[
                [
                  'Block',
                  <>
                    <BlockLink number={tx.block_num} />,{' '}
                    {counted(Math.max(0, headNumber.value - tx.block_num), 'block')} below the head
                  </>,
                ],
                [
                  'Standing',
                  `its block is ${standingText(
                    tx.block_num,
                    head.value?.last_irreversible_block_num ?? 0,
                    finality.value?.confirmed,
                  )}`,
                ],
                [
                  'Proof',
                  <Proof
                    of={id}
                    prove={async (checkpoint) =>
                      await (await import('../proving.tsx')).proofOfTransaction(checkpoint, id, tx)
                    }
                  />,
                ],
                ['Place in the block', tx.transaction_num + 1],
                ['Would have expired', `${timeText(tx.expiration)} UTC`],
              ]}
            />
            <Section title="What it does">
              <ol class="operations">
                {tx.operations.map((operation, index) => (
                  <li key={index}>
                    <Sentence operation={operation} />
                    <small>
                      {operation[0].replaceAll('_', ' ')}
                      {'fee' in operation[1] && `, fee ${operation[1].fee}`}
                    </small>
                  </li>
                ))}
              </ol>
            </Section>
            <Section title={counted(tx.signatures.length, 'signature')}>
              <ul class="ids">
                {tx.signatures.map((signature) => (
                  <li key={signature} class="id whole">
                    {signature}
                  </li>
                ))}
              </ul>
            </Section>
            <Raw of={tx} />
          </>
        )}
      </Answer>
    </>
  );
}
