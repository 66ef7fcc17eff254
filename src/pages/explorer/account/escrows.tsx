import type { Client, Result } from '../../../client/index.ts';
import { Answer, useAsked } from '../asked.tsx';
import { headNumber } from '../live.tsx';
import { AccountLink, ColumnAmount, Table, Time, type Column } from '../parts.tsx';
import type { PartProps } from './part.ts';

/** Of escrows that others opened so many are looked through. */
const LOOKED_AT = 1000;

type Escrow = Result<'database_api.find_escrows'>['escrows'][number];

/** Coins that are held between this account and others. */
export function AccountEscrows({ account: { name } }: PartProps) {
  const asked = useAsked(name, async (client) => await fetchEscrows(client, name), headNumber.value);
  return (
    <Answer asked={asked}>
      {(escrows) => (
        <Table
          caption="Escrows with this account"
          columns={columns}
          rows={escrows}
          keyOf={({ id }) => String(id)}
          none="This account is part of no escrow that is open. escrow_transfer opens one; what was settled stands in the history."
        />
      )}
    </Answer>
  );
}

/** The node finds those that an account opened; those of the others are looked for among the first of all. */
async function fetchEscrows(client: Client, name: string): Promise<readonly Escrow[]> {
  const [{ escrows: own }, { escrows: all }] = await Promise.all([
    client.call('database_api.find_escrows', { from: name }),
    client.call('database_api.list_escrows', { start: ['', 0], limit: LOOKED_AT, order: 'by_from_id' }),
  ]);
  return [...own, ...all.filter(({ from, to, agent }) => from !== name && (to === name || agent === name))];
}

const columns: readonly Column<Escrow>[] = [
  { name: 'Escrow', kind: 'spare', cell: ({ escrow_id: id }) => id },
  { name: 'From', kind: 'text', cell: ({ from }) => <AccountLink name={from} /> },
  { name: 'To', kind: 'text', cell: ({ to }) => <AccountLink name={to} /> },
  { name: 'Agent', kind: 'spare', cell: ({ agent }) => <AccountLink name={agent} /> },
  { name: 'Holds', kind: 'number', cell: ({ coin_balance: held }) => <ColumnAmount text={held} /> },
  { name: 'Standing', kind: 'text', cell: (escrow) => <Standing escrow={escrow} /> },
];

function Standing({
  escrow: {
    to_approved: to,
    agent_approved: agent,
    disputed,
    ratification_deadline: deadline,
    escrow_expiration: ends,
  },
}: {
  readonly escrow: Escrow;
}) {
  if (disputed) return <>disputed: the agent decides</>;
  if (to && agent)
    return (
      <>
        agreed to, ends <Time at={ends} />
      </>
    );
  const waitsFor = to ? 'the agent' : agent ? 'the receiver' : 'the receiver and the agent';
  return (
    <>
      waits for {waitsFor}, ends <Time at={deadline} />
    </>
  );
}
