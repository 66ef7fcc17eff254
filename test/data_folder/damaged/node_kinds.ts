import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { openLog } from '../../../src/base/log.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { DataFolder } from '../../../src/data_folder/data_folder.ts';
import { EVIDENCE_FILE, EvidenceFile } from '../../../src/data_folder/evidence_file.ts';
import { foreignHead, noteForeignHead } from '../../../src/data_folder/foreign_head.ts';
import { promisedHead, rewriteJournal } from '../../../src/data_folder/head_journal.ts';
import { readIdentity, writeIdentity } from '../../../src/data_folder/identity.ts';
import { MissedSlotsFile } from '../../../src/data_folder/missed_slots_file.ts';
import { SlotHistoryFile } from '../../../src/witness/signing/slot_history_file.ts';
import { isRefuted, UnverifiedBlocks } from '../../../src/data_folder/unverified_blocks.ts';
import { readParameters as chainOf, profileNamed } from '../../../src/settings/chain_settings.ts';
import { chainNamed } from '../../../src/settings/named_chain.ts';
import { chainFolder, genesisPath, openDevChain } from '../../../src/dev_chain/dev_folder.ts';
import { beginFork } from '../../../src/dev_chain/fork_chain.ts';
import { forkGenesisText } from '../../../src/dev_chain/fork_genesis.ts';
import { StateFile } from '../../../src/dev_chain/state_file.ts';
import { NetworkFiles } from '../../../src/node/network/network_files.ts';
import { SigningJournalFile } from '../../../src/witness/signing/signing_journal_file.ts';
import { VOTES_SUFFIX, VotingJournalFile } from '../../../src/witness/signing/voting_journal_file.ts';
import { formatLine } from '../../../src/witness/signing/signing_journal_lines.ts';
import { AcknowledgedFile } from '../../../src/node/sinks/acknowledged_file.ts';
import { checkSnapshot } from '../../../src/snapshot/check_snapshot.ts';
import { download } from '../../../src/snapshot/download.ts';
import { fileSum } from '../../../src/snapshot/file_sum.ts';
import { inspectHeader } from '../../../src/snapshot/read_snapshot.ts';
import { writeSnapshot } from '../../../src/snapshot/write_snapshot.ts';
import { StandbyFile } from '../../../src/witness/signing/standby_file.ts';
import { DISK_FORMAT } from '../../../src/state/head_record.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { hourlyBlocks, readTestParameters, testGenesis } from '../../builders/chain.ts';
import { contradictingCertificates, contradictingVotes } from '../../builders/contradictions.ts';
import { copyStore } from '../../builders/copied_store.ts';
import { RandomSource } from '../../builders/random_source.ts';
import { RandomNetwork } from '../../builders/random_network.ts';
import { inFolder, place, type Kind, type Read } from './kind.ts';

// Files that a node writes for its next start, and those that bring a chain from elsewhere.

const ID = 'ab'.repeat(20);
const DIGEST = 'cd'.repeat(32);
const KEY = `02${'ef'.repeat(32)}`;

/** Makes a sound file of each kind. */
export async function nodeKinds(): Promise<Readonly<Record<string, Kind>>> {
  const snapshot = await snapshotFile();
  return {
    ...(await ofFolder()),
    ...ofWitness(),
    ...ofSink(),
    ...ofNetwork(),
    ...(await ofDevChain()),
    ...ofGenesis(),
    ...(await ofSnapshot(snapshot)),
    ...(await ofForkAndState(snapshot)),
  };
}

const BACKUP = /Put the folder back from a backup/;

async function ofFolder(): Promise<Readonly<Record<string, Kind>>> {
  const identity = inFolder('identity', 'pharos-identity.json');
  writeIdentity(identity.data, { state: 'complete', chainId: DIGEST, diskFormat: DISK_FORMAT });
  const head = inFolder('head', 'pharos-head.journal');
  rewriteJournal(head.data, { number: 7, id: ID, stateHash: DIGEST });
  const foreign = inFolder('foreign', 'foreign_head');
  noteForeignHead(foreign.data, { number: 1234, id: ID });
  const unproved = inFolder('unproved', 'unverified_blocks');
  const checkpoint = { number: 9000, id: ID };
  new UnverifiedBlocks(unproved.data, checkpoint).note(5);
  const evidence = inFolder('evidence', EVIDENCE_FILE);
  new EvidenceFile(evidence.data, DIGEST).write([contradictingVotes(DIGEST), contradictingCertificates(DIGEST)]);
  const journal = place('node.signed');
  const votes = `${journal}${VOTES_SUFFIX}`;
  const voting = new VotingJournalFile(votes);
  voting.begin(DIGEST, KEY, 5, false);
  for (const view of [20, 21, 22]) {
    const before = voting.votingRecord(DIGEST, KEY) ?? assert.fail();
    voting.record(DIGEST, [{ key: KEY, record: { ...before, last_prepare: { epoch: 1, view, block: ID } } }]);
  }
  voting.close();
  const line = { kind: 'signed', chain: DIGEST, key: KEY, slot: 5, digest: DIGEST, id: ID, previous: ID } as const;
  writeFileSync(journal, [5, 6, 7, 8].map((slot) => formatLine({ ...line, slot })).join(''));
  return {
    'identity of a data folder': {
      path: identity.path,
      read: () => ({ value: readIdentity(identity.data) }),
      code: 3,
      remedy: BACKUP,
    },
    'head journal': {
      path: head.path,
      read: () => ({ value: promisedHead(head.data) }),
      code: 3,
      remedy: BACKUP,
      mayForget: 'the newest of two entries: the other one is a block older, and the database has both',
    },
    'note of a snapshot that peers have to confirm': {
      path: foreign.path,
      read: () => ({ value: foreignHead(foreign.data) }),
      code: 3,
      remedy: BACKUP,
      meansOther: /flipped/,
    },
    'note of blocks that are not verified': {
      path: unproved.path,
      read: () => ({ value: isRefuted(unproved.data, [[checkpoint.number, checkpoint.id]]) }),
      code: 'either',
      remedy: /Put the folder back from a backup|give checkpoint = /,
      meansOther: /flipped/,
    },
    'evidence against voters': {
      path: evidence.path,
      read() {
        const { found: value, damage: warning } = new EvidenceFile(evidence.data, DIGEST).read();
        return { value, warning };
      },
      code: 3,
      remedy: /nothing else depends on it; the file is kept as /,
      mayForget: 'an empty file is one that was removed, as the operator is told to do',
      meansOther: /doubled/,
    },
    'signing journal': {
      path: journal,
      read() {
        const file = new SigningJournalFile(journal);
        const { damage: warning } = file;
        file.close();
        return { value: file.signedOf(DIGEST), warning };
      },
      code: 3,
      remedy: /waits for a round before it signs/,
      mayForget: 'a last line that was cut off was signed by nobody, and an empty journal is a new one',
      meansOther: /flipped|doubled/,
    },
    'voting journal': {
      path: votes,
      read() {
        const file = new VotingJournalFile(votes);
        const { damage: warning } = file;
        file.close();
        return { value: file.votingRecord(DIGEST, KEY), warning };
      },
      code: 3,
      remedy: /votes only for what newer certificates name/,
      mayForget: 'a last line that was cut off left in no vote, and an empty journal is a new one, which waits',
    },
  };
}

function ofNetwork(): Readonly<Record<string, Kind>> {
  const { data, path: peers } = inFolder('network', 'p2p_peers.json');
  const files = new NetworkFiles(data);
  files.secret();
  const target = { host: '10.0.0.1', port: 9290, id: DIGEST };
  files.keep({
    book: [{ endpoint: '10.0.0.1:9290', id: DIGEST, reachedMs: 1, from: undefined }],
    bans: [],
    anchors: [target],
    followed: { number: 5, id: ID },
  });
  return {
    'identity key': {
      path: join(data, 'p2p_key'),
      read: () => ({ value: new NetworkFiles(data).secret() }),
      code: 3,
      remedy: /move it away, and the node gets a new identity/,
      meansOther: /flipped/,
    },
    'address book': {
      path: peers,
      read() {
        const fresh = new NetworkFiles(data);
        return { value: fresh.peers(), warning: fresh.damage };
      },
      code: 3,
      remedy: /finds peers by its seeds/,
      meansOther: /flipped/,
    },
  };
}

async function ofDevChain(): Promise<Readonly<Record<string, Kind>>> {
  const dataDir = place('dev');
  const data = await DataFolder.lock(chainFolder(dataDir), 'dev');
  const at = { dataDir, fresh: false, accounts: undefined, seed: undefined };
  openDevChain({ ...at, seed: 'a long seed of many words' }, profileNamed('default'), data);
  data.release();
  const read = (): Read => ({ value: openDevChain(at, profileNamed('default'), data) });
  const remedy = /put it back|start over with --fresh/;
  return {
    'seed of a development chain': { path: join(dataDir, 'seed.txt'), read, code: 3, remedy },
    'genesis of a development chain': { path: genesisPath(dataDir), read, code: 3, remedy, meansOther: /flipped/ },
  };
}

function ofWitness(): Readonly<Record<string, Kind>> {
  const standby = place('node.standby');
  new StandbyFile(standby).write({ packed: 'abcd'.repeat(40), from: DIGEST, switched: 1_700_000_000, tookOverAt: 12 });
  const slots = inFolder('slots', 'own_slots');
  const history = (warn: (sentence: string) => void = () => {}): SlotHistoryFile =>
    new SlotHistoryFile(slots.data, warn);
  for (let slot = 0; slot < 5; slot++)
    history().add('alice', { timestamp: 1_700_000_000 + 63 * slot, reason: slot === 2 ? 'late' : undefined });
  const missed = inFolder('missed', 'missed_slots.json');
  const missedFile = (warn: (sentence: string) => void = () => {}): MissedSlotsFile =>
    new MissedSlotsFile(missed.data, warn);
  const totals = new Map([['alice', 7]]);
  missedFile().write([1, 2].map((number) => ({ number, id: ID, time: 1_700_000_000 + number, missed: totals })));
  return {
    'missed slots of all witnesses': {
      path: missed.path,
      read() {
        let warning: string | undefined;
        const value = missedFile((sentence) => (warning = sentence)).read();
        return { value, warning };
      },
      code: 3,
      remedy: /nothing else depends on it, and the node writes it anew/,
      meansOther: /flipped/,
    },
    'file of a standby': {
      path: standby,
      read() {
        const file = new StandbyFile(standby);
        return { value: file.read(), warning: file.damage };
      },
      code: 3,
      remedy: /put it back from a copy, or give the standby a new key and remove the file/,
      meansOther: /flipped/,
    },
    'slots of own witnesses': {
      path: slots.path,
      read() {
        let warning: string | undefined;
        const value = history((sentence) => (warning = sentence)).read();
        return { value, warning };
      },
      code: 3,
      remedy: /nothing else depends on them; the file is kept as /,
      mayForget: 'an empty file is a new one',
      meansOther: /flipped|doubled/,
    },
  };
}

function ofSink(): Readonly<Record<string, Kind>> {
  const { data, path } = inFolder('sink', 'sink_acknowledged.json');
  const ids = { block: ID, previous: ID, head: ID };
  const mark = { event: 'block', ...ids, message: 0, isEnd: true, irreversible: 3, form: 'json-2' } as const;
  new AcknowledgedFile(data, 'nats stream', () => {}).write({ created: '2026-01-01T00:00:00Z', sequence: 77, mark });
  return {
    'end of an event stream': {
      path,
      read() {
        let warning: string | undefined;
        const value = new AcknowledgedFile(data, 'nats stream', (sentence) => (warning = sentence)).read();
        return { value, warning };
      },
      code: 3,
      remedy: /pharos stream check/,
      meansOther: /flipped/,
    },
  };
}

function ofGenesis(): Readonly<Record<string, Kind>> {
  const path = place('genesis.json');
  writeFileSync(path, JSON.stringify(testGenesis(hourlyBlocks, 'interface'), undefined, 1));
  return {
    'genesis of a node': {
      path,
      read: () => ({
        value: chainOf(chainNamed({ profile: 'default', genesisFiles: [path], initialSigningKey: undefined })).chainId,
      }),
      code: 2,
      remedy: /put it back from a copy, or name another/,
      // Another chain, which the folder of this one refuses.
      meansOther: /flipped/,
    },
  };
}

async function snapshotFile(): Promise<string> {
  const path = place('state.avro');
  const genesis = testGenesis(hourlyBlocks, 'interface');
  const [parameters, store] = [readTestParameters(genesis), new MemoryStore()];
  new RandomNetwork(parameters, new RandomSource(1), store, 1).run(8);
  await writeSnapshot(path, {
    store: copyStore(store),
    parameters,
    genesis: JSON.stringify(genesis),
    withBlocks: false,
  });
  return path;
}

async function ofSnapshot(path: string): Promise<Readonly<Record<string, Kind>>> {
  const whole = readFileSync(path);
  const server = createServer((request, response) => {
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const isPart = from > 0 && request.headers['if-range'] === '"etag"';
    response.writeHead(isPart ? 206 : 200, {
      etag: '"etag"',
      ...(isPart && { 'content-range': `bytes ${from}-${whole.length - 1}/${whole.length}` }),
    });
    response.end(isPart ? whole.subarray(from) : whole);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const address = server.address();
  const url = `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}/state.avro`;
  const part = place('part.avro');
  writeFileSync(`${part}.from`, `${JSON.stringify({ url, etag: '"etag"', isWhole: false })}\n`);
  return {
    snapshot: { path, read: async () => ({ value: await checkSnapshot(path) }), code: 3, remedy: /get another copy/ },
    'note of an interrupted download': {
      path: `${part}.from`,
      async read() {
        writeFileSync(part, whole.subarray(0, 1000));
        await download(url, part, { clock: systemClock, log: openLog({ level: 'error' }, 'test') });
        return { value: readFileSync(part) };
      },
      code: 3,
      remedy: /./,
      harmless: 'what is not known to be the beginning of the file is fetched again',
    },
  };
}

async function ofForkAndState(snapshot: string): Promise<Readonly<Record<string, Kind>>> {
  const dataDir = place('fork');
  const fork = await DataFolder.lock(chainFolder(dataDir), 'dev');
  writeIdentity(chainFolder(dataDir), { state: 'complete', chainId: DIGEST, diskFormat: DISK_FORMAT });
  writeFileSync(genesisPath(dataDir), forkGenesisText(inspectHeader(snapshot), 'words'));
  writeFileSync(join(dataDir, 'seed.txt'), 'words');
  const source = 'http://127.0.0.1:1/state.avro';
  const state = place('chain.avro');
  writeFileSync(state, readFileSync(snapshot));
  const running = chainFolder(`${state}.running`);
  mkdirSync(running, { recursive: true });
  writeIdentity(running, { state: 'complete', chainId: DIGEST, diskFormat: DISK_FORMAT });
  const note = join(`${state}.running`, 'began_with.txt');
  writeFileSync(note, `${await fileSum(state)}\n`);
  const locked = place('locked');
  mkdirSync(locked, { recursive: true });
  const lock = join(locked, 'pharos-lock.json');
  writeFileSync(lock, `${JSON.stringify({ pid: 1, began: '1', boot: 'another boot', command: 'run' })}\n`);
  return {
    'genesis of a fork': {
      path: genesisPath(dataDir),
      async read() {
        await beginFork({ source, dataDir, fresh: false, seed: 'words', joined: undefined, hardforks: undefined });
        return {
          value: openDevChain(
            { dataDir, fresh: false, accounts: undefined, seed: undefined },
            profileNamed('default'),
            fork,
          ),
        };
      },
      code: 'either',
      remedy: /start over with --fresh/,
      meansOther: /flipped/,
    },
    'note beside the file of a development chain': {
      path: note,
      async read() {
        return { value: (await StateFile.open(state, { fresh: false, seed: '' })).remark };
      },
      code: 'either',
      remedy: /remove the one that you don't want/,
    },
    'lock of a data folder': {
      path: lock,
      async read() {
        const data = await DataFolder.lock(locked, 'test');
        data.release();
        return { value: 'locked' };
      },
      code: 2,
      remedy: /./,
      harmless: 'the database has a lock of its own',
    },
  };
}
