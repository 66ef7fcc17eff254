import { Answer, useAsked } from '../asked.tsx';
import { headNumber } from '../live.tsx';
import { BlockLink, Pager, Sentence, Time, TransactionLink } from '../parts.tsx';
import { linkTo } from '../router.ts';
import type { PartProps } from './part.ts';

const PAGE = 25;
const NO_TRANSACTION = '0'.repeat(40);

/** What concerned an account, the newest first, page by page. */
export function AccountHistory({ account: { name }, at }: PartProps) {
  const start = /^\d+$/.test(at) ? Number(at) : -1;
  const asked = useAsked(
    `${name} ${start}`,
    async (client) => {
      // A page can't begin below what it asks for.
      const limit = start === -1 ? PAGE - 1 : Math.min(PAGE - 1, start);
      const { history } = await client.call('account_history_api.get_account_history', { account: name, start, limit });
      return history.toReversed();
    },
    start === -1 ? headNumber.value : '',
  );
  return (
    <Answer asked={asked}>
      {(history) => {
        const [newest, oldest] = [history[0]?.[0] ?? 0, history.at(-1)?.[0] ?? 0];
        if (history.length === 0)
          return (
            <p class="notice">Nothing has concerned this account yet: what it sends or receives will stand here.</p>
          );
        return (
          <>
            <ol class="operations">
              {history.map(([number, { op, block, trx_id: id, timestamp }]) => (
                <li key={number}>
                  <Sentence operation={op} />
                  <small>
                    <Time at={timestamp} />, block <BlockLink number={block} />
                    {id === NO_TRANSACTION ? (
                      ', by the chain itself'
                    ) : (
                      <>
                        , in <TransactionLink id={id} />
                      </>
                    )}
                  </small>
                </li>
              ))}
            </ol>
            <Pager
              newer={start === -1 ? undefined : linkTo('account', name, 'history', newest + PAGE)}
              older={oldest === 0 ? undefined : linkTo('account', name, 'history', oldest - 1)}
            />
          </>
        );
      }}
    </Answer>
  );
}
