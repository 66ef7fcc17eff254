import type { ComponentChildren } from 'preact';
import type { Client } from '../../client/index.ts';
import { Answer, useAsked, useTitle } from './asked.tsx';
import { headNumber } from './live.tsx';
import { Pager, Table, type Column } from './parts.tsx';
import { viewLink, type ViewName } from './router.ts';

const PAGE = 50;

interface ListProps<R> {
  readonly view: ViewName;
  readonly title: string;
  readonly intro: ComponentChildren;
  /** The name where the page begins; '' at the start of the list. */
  readonly at: string;
  /** So many records from that name on. */
  readonly list: (client: Client, start: string, limit: number) => Promise<readonly R[]>;
  readonly columns: readonly Column<R>[];
  readonly none: string;
}

/** All records of a kind by name, page by page. */
export function ListByName<R extends { readonly name: string }>({
  view,
  title,
  intro,
  at,
  list,
  columns,
  none,
}: ListProps<R>) {
  useTitle(title);
  // One more tells whether there is another page, and where it begins.
  const asked = useAsked(at, async (client) => await list(client, at, PAGE + 1), headNumber.value);
  return (
    <>
      <h1 tabIndex={-1}>{title}</h1>
      <p class="quiet">{intro}</p>
      <Answer asked={asked}>
        {(records) => (
          <>
            <Table
              caption={`${title} by name`}
              columns={columns}
              rows={records.slice(0, PAGE)}
              keyOf={({ name }) => name}
              none={none}
            />
            <Pager
              newer={at === '' ? undefined : viewLink(view)}
              older={records[PAGE] === undefined ? undefined : viewLink(view, '', '', records[PAGE].name)}
              words={['← From the start', 'Next →']}
            />
          </>
        )}
      </Answer>
    </>
  );
}
