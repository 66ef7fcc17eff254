import type { Client, Result } from '../../../client/index.ts';
import { Answer, useAsked, useTitle } from '../asked.tsx';
import { DocumentList } from '../documents.tsx';
import { headNumber } from '../live.tsx';
import { AccountLink, Facts, NameTitle, Pager, Said, Section, Table, When, type Column } from '../parts.tsx';
import { viewLink, type ViewProps } from '../router.ts';
import { unlessRefused } from '../unless_refused.ts';

const SHOWN_BUYINGS = 100;
const SHOWN_DOCUMENTS = 25;

type ApplicationRow = Result<'alexandria_api.get_applications'>['applications'][number];
type Buying = Result<'alexandria_api.get_application_buyings'>['application_buyings'][number];

/** An application by its name, or by its number where only that is known. */
export function Application({ route: { of: name, at, chosen } }: ViewProps) {
  const from = /^\d{1,9}$/.exec(chosen['from'] ?? '')?.[0] ?? '';
  const title = name === '' ? `Application ${at}` : name;
  useTitle(title);
  const asked = useAsked(
    `${name} ${at} ${from}`,
    async (client) => await lookUp(client, { name, number: at, from }),
    from === '' ? headNumber.value : '',
  );
  return (
    <>
      {name === '' ? <h1 tabIndex={-1}>{title}</h1> : <NameTitle name={name} what="the name" />}
      <Answer asked={asked}>
        {({ application, buyings, documents }) => (
          <>
            {application === undefined ? (
              <p class="notice">
                No application of that {name === '' ? 'number' : 'name'} is registered.{' '}
                {name === '' && 'Documents can name any number all the same.'}
              </p>
            ) : (
              <Facts
                of={[
                  ['Name', <a href={viewLink('application', application.name)}>{application.name}</a>],
                  ['Number', String(application.id)],
                  ['Author', <AccountLink name={application.author} />],
                  ['Address', application.url === '' ? 'none' : <Said text={application.url} />],
                  ['Price', application.price_param.replace('_', ' ')],
                  ['Says of itself', application.metadata === '' ? 'nothing' : <Said text={application.metadata} />],
                ]}
              />
            )}
            {application !== undefined && (
              <Section title="Bought by">
                {buyings.length > 0 && <p class="quiet">Times are those of the block before that of the purchase.</p>}
                <Table
                  caption="Who has bought it"
                  columns={columns}
                  rows={buyings}
                  keyOf={({ id }) => String(id)}
                  none="Nobody has bought it yet. buy_application does."
                />
              </Section>
            )}
            {documents !== undefined && (
              <Section title={from === '' ? 'Latest documents' : 'Earlier documents'}>
                <DocumentList of={documents} none="No document names it yet. custom_json sends one." />
                <Pager
                  newer={from === '' ? undefined : viewLink('application', name, '', at)}
                  older={earlierLink(name, at, documents)}
                  words={['← Latest', 'Earlier →']}
                />
              </Section>
            )}
          </>
        )}
      </Answer>
    </>
  );
}

/** Documents of an application are numbered from 1 on. */
function earlierLink(name: string, at: string, documents: NonNullable<Found['documents']>): string | undefined {
  const oldest = Number(documents[0]?.[0] ?? 1);
  return oldest > 1 ? viewLink('application', name, '', at, { from: String(oldest - 1) }) : undefined;
}

interface Asked {
  readonly name: string;
  /** Of the application, where its name is ''. */
  readonly number: string;
  /** The newest of the documents; '' for the last of all. */
  readonly from: string;
}

interface Found {
  readonly application: ApplicationRow | undefined;
  readonly buyings: readonly Buying[];
  /** Undefined where nobody knows which number to ask for. */
  readonly documents: Result<'custom_api.get_app_custom_messages'> | undefined;
}

async function lookUp(client: Client, { name, number, from }: Asked): Promise<Found> {
  const isNumber = name === '' && /^\d{1,18}$/.test(number);
  const applications = isNumber
    ? (await client.call('alexandria_api.get_applications_by_ids', { ids: [BigInt(number)] })).applications
    : await namedApplications(client, name);
  const [application] = applications;
  const id = application?.id ?? (isNumber ? BigInt(number) : undefined);
  if (id === undefined) return { application, buyings: [], documents: undefined };
  const documents = await client.call('custom_api.get_app_custom_messages', {
    app_id: id,
    start: from === '' ? null : Number(from),
    limit: SHOWN_DOCUMENTS,
  });
  if (application === undefined) return { application, buyings: [], documents };
  const { application_buyings: buyings } = await client.call('alexandria_api.get_application_buyings', {
    ...{ name: String(id), search_type: 'by_app_id', count: SHOWN_BUYINGS },
  });
  return { application, buyings, documents };
}

/** A text that can be no name is refused: no application has it. */
async function namedApplications(client: Client, name: string): Promise<readonly ApplicationRow[]> {
  const found = await unlessRefused(
    async () => await client.call('alexandria_api.get_applications', { names: [name] }),
    'bad_value',
  );
  return found?.applications ?? [];
}

const columns: readonly Column<Buying>[] = [
  { name: 'Buyer', kind: 'text', cell: ({ buyer }) => <AccountLink name={buyer} /> },
  { name: 'When', kind: 'text', cell: ({ created }) => <When at={created} /> },
];
