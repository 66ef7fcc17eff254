import assert from 'node:assert/strict';
import type { Clock } from '../../src/base/clock.ts';
import type { FromWriter, ProductionSettings, ToWriter } from '../../src/node/threads/messages.ts';
import { Writer } from '../../src/node/threads/writer.ts';
import { WriterClient, type WriterListener } from '../../src/node/threads/writer_client.ts';
import type { BlockSigner } from '../../src/witness/block_signer.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import type { KeyValueStore } from '../../src/storage/key_value.ts';
import { directPorts } from '../../src/node/threads/direct_ports.ts';
import { silentLog } from './silent_log.ts';

/** What a writer in the test's own thread is built from. */
export interface DirectWriterParts {
  readonly parameters: ChainParameters;
  readonly store: KeyValueStore;
  readonly clock: Clock;
  /** None by default. */
  readonly production?: ProductionSettings;
  /** What signs; the production's own secrets by default. */
  readonly signer?: BlockSigner | undefined;
  /** How many of the newest blocks are kept; all by default. */
  readonly blocksKept?: number | undefined;
  /** How many blocks a development chain takes back; none by default. */
  readonly undoBlocks?: number | undefined;
  /** What the front does with the writer's messages; by default nothing, except that a failure fails the test. */
  readonly listener?: Partial<WriterListener>;
}

/** A writer and the front's client of it, in one thread. */
export function directWriter({ parameters, store, clock, production, signer, blocksKept, undoBlocks, listener = {} }: DirectWriterParts): {
  readonly writer: Writer;
  readonly client: WriterClient;
} {
  const [front, writerEnd] = directPorts<FromWriter, ToWriter>();
  const writer = new Writer(
    { durable: false, checkpoints: [], blocksKept, undoBlocks, production },
    {
      ...{ parameters, store, clock, signer, log: silentLog, front: writerEnd, takeDelaySeconds: () => 0 },
      die: () => assert.fail('the writer has failed'),
    },
  );
  const client = new WriterClient(front, {
    ...{
      verdicts: () => undefined,
      dropped: () => undefined,
      produced: () => undefined,
      standbySwitch: () => undefined,
      alive: () => undefined,
      production: () => undefined,
      failed: (fault) => assert.fail(fault),
    },
    ...listener,
  });
  return { writer, client };
}
