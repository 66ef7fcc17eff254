import { useEffect, useState } from 'preact/hooks';
import { NodeRefusal, NodeSilent, type Client, type Result } from '../../../client/index.ts';
import { Answer, useAsked, useTitle } from '../asked.tsx';
import { Chart } from '../chart.tsx';
import { checkpoint, keepCheckpoint } from '../checkpoint.tsx';
import { headNumber } from '../live.tsx';
import { HardforkPart } from '../hardforks.tsx';
import { readLastHour, sampleTimes, type LastHour, type Standing } from '../node_figures.ts';
import { lastHeardText } from '../node_link.tsx';
import { BlockLink, Facts, Section, Table, type Column } from '../parts.tsx';
import { unlessRefused } from '../unless_refused.ts';
import { momentText } from '../zone.tsx';
import { parseCheckpoint } from '../../../values/checkpoint.ts';
import { timeText } from '../../../values/time.ts';
import { shortText } from '../../../values/words.ts';

const EVERY_MS = 15_000;

/** The node itself, for its operator: how it is, what it did in the last hour, and whom it speaks to. */
export function NodeView() {
  useTitle('Node');
  const turn = useTurns();
  const asked = useAsked('node', async () => await lastHour(), turn);
  const about = useAsked('about', async (client) => {
    const { about: found } = await client.call('alexandria_api.about', {});
    return found;
  });
  return (
    <>
      <h1 tabIndex={-1}>This node</h1>
      <Answer asked={asked}>
        {(hour) => (
          <>
            {hour !== 'elsewhere' && <Health of={hour.standing} />}
            <Answer asked={about}>
              {({ client_version: version, blockchain_version: rules, coin_revision: revision, build }) => (
                <Facts
                  of={[
                    ['Program', `Pharos ${version}, ${build}`],
                    ['Revision', <span class="id">{revision}</span>],
                    ['Rules of the chain', rules],
                  ]}
                />
              )}
            </Answer>
            <HardforkPart turn={turn} />
            <Checkpoint />
            <Peers />
            <CheckpointPart />
            <Section title="The last hour">{hour === 'elsewhere' ? <Elsewhere /> : <Charts hour={hour} />}</Section>
          </>
        )}
      </Answer>
    </>
  );
}

/** Goes up as often as the node takes a sample. */
function useTurns(): number {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTurn((before) => before + 1), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return turn;
}

/** Asks for the node's figures, which browsers of other machines don't get. */
async function lastHour(): Promise<LastHour | 'elsewhere'> {
  const response = await fetch('node/last_hour.json').catch((cause: unknown) => {
    throw new NodeSilent('no connection to the node', false, cause);
  });
  return (response.ok ? readLastHour(await response.json()) : undefined) ?? 'elsewhere';
}

function Health({ of }: { readonly of: Standing | undefined }) {
  if (of === undefined) return null;
  const text =
    of.status === 'ready' ? 'ready: it is in step with the chain' : 'behind: it misses blocks, or none are made';
  return (
    <>
      <p>
        <span class={`health ${of.status === 'ready' ? 'good' : 'bad'}`}>{text}</span>
      </p>
      {of.problems.map((problem) => (
        <p key={problem} class="notice">
          {problem}
        </p>
      ))}
    </>
  );
}

/** The checkpoint for clients that trust no node; nothing on a chain without finality. */
function Checkpoint() {
  const asked = useAsked('checkpoint', async (client) => await fetchCheckpoint(client));
  return (
    <Answer asked={asked}>
      {(current) =>
        current === undefined ? null : (
          <Section title="Checkpoint">
            <p class="id">{current}</p>
            <p class="notice">
              A client that has a checkpoint verifies what nodes answer. Compare it with other nodes first:{' '}
              <code>pharos checkpoint --url A --url B</code>.
            </p>
          </Section>
        )
      }
    </Answer>
  );
}

async function fetchCheckpoint(client: Client): Promise<string | undefined> {
  return (await unlessRefused(async () => await client.call('block_api.get_finality', {})))?.checkpoint;
}

function Elsewhere() {
  return (
    <p class="notice">
      The figures of a node are shown to browsers of its own machine only, and not through a proxy. Open this page
      there, or forward its port by ssh.
    </p>
  );
}

/** The charts: a figure, its title and its unit. */
const charts: readonly (readonly [figure: string, title: string, unit: string])[] = [
  ['cpu_percent', 'CPU time', '% of a core'],
  ['memory_mib', 'Memory', 'MiB'],
  ['calls_per_second', 'Calls', 'a second'],
  ['calls_waiting', 'Calls that wait for something', ''],
  ['broadcasts_waiting', 'Broadcasts without a final answer', ''],
  ['head_age_seconds', 'Age of the head block', 's'],
  ['filled_slots', 'Slots filled, of the last 51', ''],
  ['peers', 'Peers', ''],
];

function Charts({ hour: { everySeconds, figures } }: { readonly hour: LastHour }) {
  const count = figures.get('cpu_percent')?.length ?? 0;
  if (count === 0)
    return <p class="notice">The node has just started: the first figures come within {everySeconds} seconds.</p>;
  const times = sampleTimes(count, everySeconds);
  return (
    <div class="charts">
      {charts.map(([name, title, unit]) => {
        const values = figures.get(name) ?? [];
        const now = values.at(-1);
        return (
          <Chart
            key={name}
            title={title}
            text={figureText(now, unit)}
            times={times}
            now={Math.floor(Date.now() / 1000)}
            lines={[{ name: title, values }]}
            unit={unit}
            isFromZero
          />
        );
      })}
    </div>
  );
}

function figureText(value: number | undefined, unit: string): string {
  const when = lastHeardText.value === undefined ? 'now' : `as of ${lastHeardText.value}`;
  return value === undefined ? 'not known' : `${value} ${unit} ${when}`;
}

type Peer = Result<'network_node_api.get_connected_peers'>['peers'][number];

interface Network {
  readonly info: Result<'network_node_api.get_info'>;
  readonly peers: readonly Peer[];
}

/** Only operators are told of peers, and only where the node speaks to any. */
async function fetchNetwork(client: Client): Promise<Network | string> {
  try {
    const [info, { peers }] = await Promise.all([
      client.call('network_node_api.get_info', {}),
      client.call('network_node_api.get_connected_peers', {}),
    ]);
    return { info, peers };
  } catch (error) {
    if (error instanceof NodeRefusal) return error.message;
    throw error;
  }
}

function Peers() {
  const asked = useAsked('peers', fetchNetwork, headNumber.value);
  return (
    <Section title="Peers">
      <Answer asked={asked}>
        {(network) =>
          typeof network === 'string' ? (
            <p class="notice">
              This node tells of no peers here: it runs without p2p-endpoint and seeds, or this browser is not on its
              machine.
            </p>
          ) : (
            <>
              <Facts
                of={[
                  ['Id of this node', <span class="id">{network.info.node_id}</span>],
                  [
                    'Lets peers in at',
                    network.info.listening_on === 0 ? 'no port' : `port ${network.info.listening_on}`,
                  ],
                  [
                    'Stands',
                    network.info.sync === 'behind'
                      ? `behind by ${network.info.blocks_behind} blocks`
                      : network.info.sync,
                  ],
                ]}
              />
              <Table
                caption="Connected peers"
                columns={columns}
                rows={network.peers}
                keyOf={({ node_id: id }) => id}
                none="No peer is connected. p2p-seed-node names one to begin with."
              />
            </>
          )
        }
      </Answer>
    </Section>
  );
}

const columns: readonly Column<Peer>[] = [
  {
    name: 'Peer',
    kind: 'text',
    cell: ({ host, port, node_id: id }) => (
      <>
        {host}:{port} <small class="id">{shortText(id)}</small>
      </>
    ),
  },
  { name: 'Program', kind: 'text', cell: ({ agent }) => agent },
  { name: 'Head', kind: 'number', cell: ({ head_block_number: number }) => <BlockLink number={number} /> },
  { name: 'Ping', kind: 'number', cell: ({ ping_ms: ping }) => (ping < 0n ? '–' : `${ping} ms`) },
  { name: 'Score', kind: 'text', cell: ({ score }) => String(score) },
];

/** The form that sets or removes a checkpoint. */
function CheckpointPart() {
  const [typed, setTyped] = useState(checkpoint.value);
  const read = parseCheckpoint(typed.trim());
  const take = (event: Event): void => {
    event.preventDefault();
    if (read !== undefined || typed.trim() === '') keepCheckpoint(typed.trim());
  };
  return (
    <Section title="Proofs">
      <p>
        With a checkpoint this page proves that the blocks and transactions it shows are final, and believes nothing
        that the node says of them. Take it from people you trust, not from this node. What proves itself is marked;
        balances and lists can't be proven.
      </p>
      <form class="search" onSubmit={take}>
        <input
          type="text"
          name="checkpoint"
          aria-label="Checkpoint"
          placeholder="NUMBER:BLOCK_ID:VOTERS_DIGEST:TIME"
          autoComplete="off"
          autoCapitalize="none"
          spellcheck={false}
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <button type="submit">Keep</button>
      </form>
      <p role="status">{standingText(typed.trim(), read)}</p>
    </Section>
  );
}

function standingText(typed: string, read: ReturnType<typeof parseCheckpoint>): string {
  if (typed === '')
    return checkpoint.value === '' ? 'No checkpoint: nothing is proven.' : 'Keep this to forget the checkpoint.';
  if (read === undefined) return 'That is no checkpoint.';
  const of = `block ${read.number} of ${momentText(timeText(read.time))}`;
  return checkpoint.value === typed ? `Kept in this browser: ${of}.` : `A checkpoint of ${of}; not kept yet.`;
}
