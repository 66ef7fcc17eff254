import type { Result } from '../../../client/index.ts';
import { ListByName } from '../list_by_name.tsx';
import { AccountLink, Said, type Column } from '../parts.tsx';
import { viewLink, type ViewProps } from '../router.ts';

type ApplicationRecord = Result<'database_api.list_applications'>['applications'][number];

/** All applications by name, page by page. */
export function Applications({ route: { at } }: ViewProps) {
  return (
    <ListByName
      view="applications"
      title="Applications"
      intro="Whoever sends documents names the application that they belong to."
      at={at}
      list={async (client, start, limit) =>
        (await client.call('database_api.list_applications', { start, limit, order: 'by_name' })).applications
      }
      columns={columns}
      none="No application is registered. application_create registers one; documents can name any number, registered or not."
    />
  );
}

const columns: readonly Column<ApplicationRecord>[] = [
  { name: 'Number', kind: 'spare', cell: ({ id }) => String(id) },
  { name: 'Name', kind: 'text', cell: ({ name }) => <a href={viewLink('application', name)}>{name}</a> },
  { name: 'Author', kind: 'text', cell: ({ author }) => <AccountLink name={author} /> },
  { name: 'Address', kind: 'spare', cell: ({ url }) => <Said text={url} /> },
  { name: 'Price', kind: 'text', cell: ({ price_param: price }) => price.replace('_', ' ') },
];
