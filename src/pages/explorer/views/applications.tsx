import type { Result } from '../../../client/index.ts';
import { Answer, useAsked, useTitle } from '../asked.tsx';
import { headNumber } from '../live.tsx';
import { AccountLink, Pager, Said, Table, type Column } from '../parts.tsx';
import { linkTo, type ViewProps } from '../router.ts';

const PAGE = 50;

type ApplicationRecord = Result<'database_api.list_applications'>['applications'][number];

/** All applications by name, page by page. */
export function Applications({ route: { at } }: ViewProps) {
  useTitle('Applications');
  const asked = useAsked(
    at,
    async (client) => (await client.call('database_api.list_applications', { start: at, limit: PAGE + 1, order: 'by_name' })).applications,
    headNumber.value,
  );
  return (
    <>
      <h1 tabIndex={-1}>Applications</h1>
      <p class="quiet">Whoever sends documents names the application that they belong to.</p>
      <Answer asked={asked}>
        {(applications) => (
          <>
            <Table
              caption="Applications by name"
              columns={columns}
              rows={applications.slice(0, PAGE)}
              keyOf={({ id }) => String(id)}
              none="No application is registered. application_create registers one; documents can name any number, registered or not."
            />
            <Pager
              newer={at === '' ? undefined : linkTo('applications')}
              older={applications[PAGE] === undefined ? undefined : linkTo('applications', '', '', applications[PAGE].name)}
              words={['← From the start', 'Next →']}
            />
          </>
        )}
      </Answer>
    </>
  );
}

const columns: readonly Column<ApplicationRecord>[] = [
  { name: 'Number', kind: 'spare', cell: ({ id }) => String(id) },
  { name: 'Name', kind: 'text', cell: ({ name }) => <a href={linkTo('application', name)}>{name}</a> },
  { name: 'Author', kind: 'text', cell: ({ author }) => <AccountLink name={author} /> },
  { name: 'Address', kind: 'spare', cell: ({ url }) => <Said text={url} /> },
  { name: 'Price', kind: 'text', cell: ({ price_param: price }) => price.replace('_', ' ') },
];
