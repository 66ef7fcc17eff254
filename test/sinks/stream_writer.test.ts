import assert from 'node:assert/strict';
import { test } from 'node:test';
import { present } from '../../src/base/assert.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { VerifiedBlock } from '../../src/blocks/block.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { BlockOperations, concernedAccounts, type HistoryEntry } from '../../src/queries/history_entry.ts';
import { eventForms } from '../../src/sinks/event_form.ts';
import type { BlockRecord, EventRecord } from '../../src/sinks/event_schema.ts';
import { SinkChain } from '../../src/sinks/sink_chain.ts';
import { StreamWriter } from '../../src/sinks/stream_writer.ts';
import { UnusableStream, type Mark, type Sink, type StreamMessage } from '../../src/sinks/sink.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { View } from '../../src/storage/view.ts';
import { timeText } from '../../src/values/time.ts';
import {
  encoding,
  openChain,
  people,
  produce,
  testParameters,
  makeTransaction,
  transferJson,
} from '../builders/chain.ts';
import { RandomSource } from '../builders/random_source.ts';
import { copyBlock, growSide, HERE, partedChains, partedParameters, THERE } from '../builders/parted_witnesses.ts';
import { silentLog } from '../builders/silent_log.ts';
import { formSize } from '../builders/forms.ts';
import { StreamServer, TornStream } from './torn_stream.ts';

/** One on which nothing takes long. */
const hurried: Clock = {
  nowMs: () => Date.now(),
  elapsedMs: () => performance.now(),
  after: (_delayMs, run) => {
    const timer = setImmediate(run);
    return () => clearImmediate(timer);
  },
};

const parameters = testParameters({ max_witnesses: 5, max_voted_witnesses: 3, confirmations_from_block: 201_600 });

/** The contents of a reader from the stream's beginning. */
interface Told {
  readonly blocks: BlockRecord[];
  readonly operations: EventRecord[][];
  irreversible: number;
}

function decodeRecord({ payload }: StreamMessage): EventRecord;
function decodeRecord({ payload }: StreamMessage): unknown {
  return JSON.parse(Buffer.from(payload).toString());
}

/** Reads a stream as its consumers do, and stops where it tells of anything out of order. */
function readTold(messages: readonly StreamMessage[]): Told {
  const told: Told = { blocks: [], operations: [], irreversible: 0 };
  for (const message of messages) {
    const { Block: block, Undo: undo, Irreversible: irreversible, OperationEvent: operation } = decodeRecord(message);
    const last = told.blocks.at(-1);
    if (block !== undefined) takeBlock(told, block);
    if (operation !== undefined) {
      assert.equal(operation.id, last?.id);
      present(told.operations.at(-1), 'operations').push({ OperationEvent: operation });
    }
    if (undo !== undefined) {
      assert.deepEqual([undo.number, undo.id, undo.previous], [last?.number, last?.id, last?.previous]);
      told.blocks.pop();
      told.operations.pop();
    }
    if (irreversible !== undefined) {
      assert.equal(told.blocks[irreversible.number - 1]?.id, irreversible.id);
      told.irreversible = irreversible.number;
    }
  }
  return told;
}

function takeBlock(told: Told, block: BlockRecord): void {
  const last = told.blocks.at(-1);
  if (block.part > 0) {
    assert.deepEqual([last?.id, last?.part, last?.is_last_part], [block.id, block.part - 1, false]);
    told.blocks.pop();
    told.blocks.push({ ...block, operations: [...(last?.operations ?? []), ...block.operations] });
    return;
  }
  assert.equal(block.previous, last?.id ?? '0'.repeat(40));
  assert.equal(last?.is_last_part ?? true, true, 'the block before is whole');
  told.blocks.push(block);
  told.operations.push([]);
}

/** An operation as a stream has it. */
function shown(entry: HistoryEntry): unknown {
  const { trx_id, trx_in_block, op_in_trx, virtual_op, timestamp, op, fee_payer } = entry;
  const place = {
    trx_id,
    trx_in_block,
    op_in_trx,
    virtual_op,
    timestamp: timeText(timestamp),
    kind: op.kind.name,
    fee_payer,
  };
  return { ...place, accounts: [...concernedAccounts(entry)], continued: false, value: op.bodyToJson(encoding) };
}

/** Returns the present blocks of the chain. */
function chainBlocks(chain: Chain): unknown[] {
  return Array.from({ length: chain.head.number }, (_, k) => {
    const { id, header, transactions } = present(chain.block(k + 1), 'a block');
    const operations = new BlockOperations(chain.committed, k + 1).all(false).map(shown);
    const { previous, timestamp, witness } = header;
    return {
      number: k + 1,
      id,
      previous,
      timestamp: timeText(timestamp),
      witness,
      transaction_count: transactions.length,
      operations,
    };
  });
}

function withoutParts({ part: _part, is_last_part: _last, missed_slots: _missed, ...block }: BlockRecord): unknown {
  return block;
}

/** A chain that changes its branch, and writers that are killed, at one stream. */
class Scene {
  readonly store = new MemoryStore();
  readonly chain = openChain(parameters, this.store);
  readonly server = new StreamServer();
  readonly #randomSource: RandomSource;
  readonly #blocks: VerifiedBlock[] = [];
  #writer: StreamWriter | undefined;
  #ended: Promise<void> = Promise.resolve();
  #memo = 0;

  constructor(randomSource: RandomSource) {
    this.#randomSource = randomSource;
  }

  grow(count: number): void {
    for (let k = 0; k < count; k++) {
      for (let transfer = this.#randomSource.roll(4); transfer > 0; transfer--) this.#pay();
      this.#blocks.push(produce(this.chain, 1 + this.#randomSource.roll(3)));
    }
  }

  /** Another branch takes the place of the last blocks; now and then the first one comes back. */
  switchBranch(): void {
    const base = Math.max(this.chain.lowestRevert, this.chain.head.number - 1 - this.#randomSource.roll(6));
    const first = this.#blocks.slice(base);
    this.#revert(base);
    this.grow(1 + this.#randomSource.roll(3));
    if (this.#randomSource.chance(50)) return;
    this.#revert(base);
    for (const block of first) {
      this.chain.push(block);
      this.#blocks.push(block);
    }
  }

  #revert(number: number): void {
    this.chain.revert(number);
    this.#blocks.length = number;
  }

  #pay(): void {
    const [from, to] = this.#randomSource.shuffle(people);
    const json = transferJson(present(from, 'a name'), present(to, 'a name'), 1, `${++this.#memo}`);
    this.chain.accept(makeTransaction(this.chain, parameters, [json], [present(from, 'a name')]));
  }

  start({ tornPercent, irreversibleOnly = false, withOperations = true }: Settings): StreamWriter {
    const writer = new StreamWriter({
      chain: new SinkChain(new View(this.store, 4), parameters.blockIntervalSeconds, parameters.coinSymbol),
      sink: new TornStream(this.server, this.#randomSource, tornPercent),
      rules: { form: eventForms.json, encoding, withOperations },
      ...{ irreversibleOnly, mayRevert: true, clock: hurried, log: silentLog },
    });
    this.#ended = writer.run();
    this.#writer = writer;
    return writer;
  }

  async kill(): Promise<void> {
    this.#writer?.stop();
    await this.#ended;
  }

  /** Until the stream has all. */
  async caughtUp(settings: Settings): Promise<void> {
    await this.kill();
    const writer = this.start({ ...settings, tornPercent: 0 });
    const target = settings.irreversibleOnly === true ? 'irreversible' : 'head';
    for (let before = -1; ;) {
      await new Promise<void>((resolve) => void setImmediate(resolve));
      const { messages } = this.server;
      const { lagBlocks, problem } = writer.figures;
      assert.equal(problem, undefined, target);
      if (lagBlocks === 0 && messages.length === before) break;
      before = lagBlocks === 0 ? messages.length : -1;
      for (let turn = 0; turn < 20; turn++) await new Promise<void>((resolve) => void setImmediate(resolve));
    }
    await this.kill();
  }
}

interface Settings {
  readonly tornPercent: number;
  readonly irreversibleOnly?: boolean;
  readonly withOperations?: boolean;
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise<void>((resolve) => void setImmediate(resolve));
}

/** All of them with PHAROS_TEST_SEEDS=200. */
const SEEDS = formSize('PHAROS_TEST_SEEDS', { short: 8, long: 25 });

test('whatever tears, is killed and changes its branch, the stream says once and in order what a fresh reader of the chain finds', async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const randomSource = new RandomSource(seed);
    const scene = new Scene(randomSource);
    const settings = { tornPercent: randomSource.roll(30), withOperations: randomSource.chance(50) };
    scene.start(settings);
    for (let round = 0; round < 12; round++) {
      if (randomSource.chance(70)) scene.grow(1 + randomSource.roll(5));
      else scene.switchBranch();
      await turns(randomSource.roll(30));
      if (!randomSource.chance(30)) continue;
      await scene.kill();
      scene.start(settings);
    }
    await scene.caughtUp(settings);
    const told = readTold(scene.server.messages);
    assert.deepEqual(told.blocks.map(withoutParts), chainBlocks(scene.chain), `seed ${seed}`);
    // A chain that is taken back by its user may call fewer blocks irreversible than before.
    assert.ok(told.irreversible >= scene.chain.head.lastIrreversible, `seed ${seed}`);
    const single = told.operations.map((events) => events.map(({ OperationEvent: event }) => event?.operation));
    const expected = settings.withOperations
      ? told.blocks.map(({ operations }) => operations)
      : told.blocks.map(() => []);
    assert.deepEqual(single, expected, `seed ${seed}`);
  }
});

test('a stream of irreversible blocks undoes nothing', async () => {
  const randomSource = new RandomSource(7);
  const scene = new Scene(randomSource);
  const settings = { tornPercent: 10, irreversibleOnly: true };
  scene.start(settings);
  for (let round = 0; round < 20; round++) {
    scene.grow(3);
    if (round % 3 === 2) scene.switchBranch();
    await turns(20);
  }
  await scene.caughtUp(settings);
  const told = readTold(scene.server.messages);
  const final = scene.chain.head.lastIrreversible;
  assert.ok(final > 0);
  assert.deepEqual(told.blocks.map(withoutParts), chainBlocks(scene.chain).slice(0, final));
  assert.ok(scene.server.messages.every(({ mark }) => mark.event === 'block' || mark.event === 'operation'));
});

test('slots without a block are counted', async () => {
  const scene = new Scene(new RandomSource(1));
  for (const slot of [3, 1, 2]) produce(scene.chain, slot);
  await scene.caughtUp({ tornPercent: 0 });
  assert.deepEqual(
    readTold(scene.server.messages).blocks.map(({ missed_slots }) => missed_slots),
    [0, 0, 1],
  );
});

/** Finds an empty stream, and takes nothing as long as it is full. */
class FullStream implements Sink {
  isFull = true;
  last: Mark | undefined;
  readonly lostMessages = 0;
  #sent: Mark | undefined;

  async position(): Promise<Mark | undefined> {
    await turns(1);
    return this.last;
  }

  find(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  publish({ mark }: StreamMessage): Promise<void> {
    this.#sent = mark;
    return Promise.resolve();
  }

  async accepted(): Promise<void> {
    await turns(1);
    if (this.isFull) throw new UnusableStream('it is full');
    this.last = this.#sent;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

test('a stream that is found and takes nothing is a problem until it does, and said once', async () => {
  const { chain, store } = new Scene(new RandomSource(1));
  for (let block = 0; block < 3; block++) produce(chain);
  const lines: string[] = [];
  const say = (text: string): void => void lines.push(text);
  const sink = new FullStream();
  const writer = new StreamWriter({
    chain: new SinkChain(new View(store, 4), parameters.blockIntervalSeconds, parameters.coinSymbol),
    sink,
    rules: { form: eventForms.json, encoding, withOperations: false },
    ...{
      irreversibleOnly: false,
      mayRevert: true,
      clock: hurried,
      log: { debug: say, notice: say, warning: say, error: say },
    },
  });
  const running = writer.run();
  const isWorking = (): boolean => writer.figures.problem === undefined;
  while (isWorking()) await turns(1);
  for (let look = 0; look < 200; look++) {
    await turns(1);
    assert.equal(writer.figures.problem, 'it is full');
  }
  assert.ok(writer.figures.retries > 5);
  sink.isFull = false;
  while (!isWorking()) await turns(1);
  writer.stop();
  await running;
  assert.deepEqual(lines, [
    'the event stream has no messages: it begins with block 1',
    'the event stream can not be written: it is full',
    'the event stream goes on behind block 0',
  ]);
});

/** A stream that counts what it is asked, and has blocks that its chain has left. */
class CountedStream extends TornStream {
  finds = 0;
  readonly #hold: (finds: number) => Promise<void>;

  constructor(server: StreamServer, hold: (finds: number) => Promise<void>) {
    super(server, new RandomSource(1), 0);
    this.#hold = hold;
  }

  override async find(block: string): Promise<Mark | undefined> {
    this.finds++;
    await this.#hold(this.finds);
    return await super.find(block);
  }
}

test('a writer that takes a long branch back says so until it is done, and asks the stream once for each block', async () => {
  const left = new Scene(new RandomSource(5));
  for (let block = 0; block < 40; block++) produce(left.chain);
  await left.caughtUp({ tornPercent: 0, withOperations: false });
  // A folder that was set back to an older copy.
  const scene = new Scene(new RandomSource(5));
  for (const slots of [1, 1, 1, 1, 1, 2]) produce(scene.chain, slots);
  const stream = new CountedStream(left.server, async (finds) => {
    if (finds === 20) await turns(50);
  });
  const writer = new StreamWriter({
    chain: new SinkChain(new View(scene.store, 4), parameters.blockIntervalSeconds, parameters.coinSymbol),
    sink: stream,
    rules: { form: eventForms.json, encoding, withOperations: false },
    ...{ irreversibleOnly: false, mayRevert: true, clock: hurried, log: silentLog },
  });
  const running = writer.run();
  while (stream.finds < 20) await turns(1);
  const { standing, problem, lagBlocks } = writer.figures;
  assert.match(standing ?? '', /^it takes back blocks of a branch that the chain has left, 19 so far$/);
  assert.equal(problem, undefined);
  assert.ok(lagBlocks > 0, `${lagBlocks}`);
  while (writer.figures.lagBlocks > 0 || writer.figures.standing !== undefined) await turns(1);
  writer.stop();
  await running;
  assert.equal(stream.finds, 35);
  assert.equal(writer.figures.undone, 35);
  assert.deepEqual(readTold(left.server.messages).blocks.map(withoutParts), chainBlocks(scene.chain));
});

test('messages that were accepted and are gone are counted and said once; a node that may not revert waits at a stream that is ahead, and says so', async () => {
  const scene = new Scene(new RandomSource(6));
  scene.grow(9);
  await scene.caughtUp({ tornPercent: 0 });
  const lines: string[] = [];
  const say = (text: string): void => void lines.push(text);
  let lost = 0;
  class ShortStream extends TornStream {
    override get lostMessages(): number {
      return lost;
    }
  }
  const writer = new StreamWriter({
    chain: new SinkChain(new View(scene.store, 4), parameters.blockIntervalSeconds, parameters.coinSymbol),
    sink: new ShortStream(scene.server, new RandomSource(1), 30),
    rules: { form: eventForms.json, encoding, withOperations: true },
    ...{
      irreversibleOnly: false,
      mayRevert: false,
      clock: hurried,
      log: { debug: say, notice: say, warning: say, error: say },
    },
  });
  lost = 7;
  const held = scene.chain.head.number;
  scene.chain.revert(held - 2);
  const running = writer.run();
  while (writer.figures.standing === undefined) await turns(1);
  assert.match(
    writer.figures.standing,
    /^its last block is 9 and the chain's 7: nothing is written until the chain is there$/,
  );
  assert.equal(held, 9);
  assert.deepEqual([writer.figures.lostMessages, writer.figures.lagBlocks], [7, 2]);
  assert.ok((writer.figures.lostSecondsAgo ?? -1) >= 0);
  writer.stop();
  await running;
  assert.equal(lines.filter((line) => line.startsWith('the event stream lacks messages')).length, 1);
});

test('a stream follows a chain that leaves its branch for a shorter one, and waits for a node that has begun anew', async () => {
  const certifying = partedParameters({ finality: true });
  const store = new MemoryStore();
  const { here, there } = partedChains(certifying, store);
  const server = new StreamServer();
  const start = (rows: MemoryStore): { readonly writer: StreamWriter; readonly end: () => Promise<void> } => {
    const writer = new StreamWriter({
      chain: new SinkChain(new View(rows, 4), certifying.blockIntervalSeconds, certifying.coinSymbol),
      sink: new TornStream(server, new RandomSource(1), 0),
      rules: { form: eventForms.json, encoding, withOperations: false },
      ...{ irreversibleOnly: false, mayRevert: false, clock: hurried, log: silentLog },
    });
    const running = writer.run();
    return {
      writer,
      async end() {
        writer.stop();
        await running;
      },
    };
  };
  const told = (): string | undefined => server.messages.at(-1)?.mark.head;
  const { writer, end } = start(store);
  growSide(here, HERE, 5);
  while (told() !== here.head.id) await turns(1);
  const [short] = growSide(there, THERE, 1);
  here.push(copyBlock(certifying, present(short, 'a block')));
  here.followCertified(short?.id);
  assert.equal(here.head.number, there.head.number);
  while (told() !== there.head.id) await turns(1);
  assert.equal(writer.figures.undone, 5);
  await end();
  const behind = new MemoryStore();
  openChain(certifying, behind).push(copyBlock(certifying, present(here.block(1), 'a block')));
  const before = server.messages.length;
  const again = start(behind);
  while (again.writer.figures.standing === undefined) await turns(1);
  await again.end();
  assert.equal(server.messages.length, before);
});
