import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { Following, OperationListener } from '../../../client/index.ts';
import { Failure, useTitle } from '../asked.tsx';
import { chainTime } from '../live.tsx';
import { ask, comebacks } from '../node_link.tsx';
import { Sentence, Time, TransactionLink } from '../parts.tsx';
import { counted } from '../../../values/words.ts';
import { MOST_WAITING, stillWaiting, withWaiting } from '../waiting.ts';

type Waiting = Parameters<NonNullable<OperationListener['pending']>>[0];

/** The accepted transactions that no block has yet, live. */
export function Pending() {
  useTitle('Pending');
  const waiting = useSignal<readonly Waiting[]>([]);
  const [error, setError] = useState<unknown>(undefined);
  const once = comebacks.value;
  useEffect(() => {
    let following: Following | undefined;
    let isGone = false;
    setError(undefined);
    ask(async (client) => await client.followOperations({ level: 'pending' }, makeListener(waiting, setError))).then(
      (followed) => {
        following = followed;
        if (isGone) followed.stop();
      },
      (reason: unknown) => void (isGone || setError(reason)),
    );
    return () => {
      isGone = true;
      following?.stop();
    };
  }, [once]);
  const shown = stillWaiting(waiting.value, new Set(), chainTime.value);
  return (
    <>
      <h1 tabIndex={-1}>Waiting for a block</h1>
      <p class="quiet">
        What this node accepts while this page is open, until a block has it; at most the newest {MOST_WAITING}.
      </p>
      {error !== undefined && <Failure error={error} />}
      {shown.length === 0 ? (
        <p class="notice">
          Nothing has come since this page was opened. What is sent to this node, or comes from its peers, stands here
          until it is in a block: mostly for a few seconds.
        </p>
      ) : (
        <>
          <p role="status">{counted(shown.length, 'operation')} waiting</p>
          <ol class="operations">
            {shown.map(({ op, op_in_trx: number, trx_id: id, expiration }) => (
              <li key={`${id} ${number}`}>
                <Sentence operation={op} />
                <small>
                  in <TransactionLink id={id} />, void <Time at={expiration} />
                </small>
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  );
}

function makeListener(waiting: Signal<readonly Waiting[]>, failed: (error: unknown) => void): OperationListener {
  const forget = (id: string): void => {
    if (waiting.value.some(({ trx_id }) => trx_id === id))
      waiting.value = stillWaiting(waiting.value, new Set([id]), '');
  };
  return {
    pending: (operation) => void (waiting.value = withWaiting(waiting.value, operation)),
    operation: ({ trx_id: id }) => forget(id),
    dropped: ({ trx_id: id }) => forget(id),
    // What was in the blocks above waits anew, and is not told again.
    undone: () => undefined,
    failed,
  };
}
