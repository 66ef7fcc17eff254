import assert from 'node:assert/strict';
import type { Clock } from '../../src/base/clock.ts';
import type { FromWriter, ToWriter } from '../../src/node/threads/messages.ts';
import { Writer } from '../../src/node/threads/writer/writer.ts';
import { WriterClient, type WriterListener } from '../../src/node/threads/writer/writer_client.ts';
import type { EvidenceFile } from '../../src/data_folder/evidence_file.ts';
import type { OwnVerifier } from '../../src/verifiers/own_verifier.ts';
import type { BlockSigner } from '../../src/witness/block_signer.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import type { KeyValueStore } from '../../src/storage/key_value.ts';
import { directPorts } from '../../src/system/direct_ports.ts';
import { silentLog } from './silent_log.ts';
import type { NamedBlock } from '../../src/settings/writer_settings.ts';
import type { ProductionSettings } from '../../src/settings/production_settings.ts';

export interface DirectWriterParts {
  readonly parameters: ChainParameters;
  readonly store: KeyValueStore;
  readonly clock: Clock;
  /** None by default. */
  readonly production?: ProductionSettings;
  /** The signer; the production's own secrets by default. */
  readonly signer?: BlockSigner | undefined;
  /** The file of evidence against voters; none by default. */
  readonly evidence?: EvidenceFile | undefined;
  /** None by default. */
  readonly finalityCheckpoint?: NamedBlock | undefined;
  /** The number of newest blocks to keep; all by default. */
  readonly blocksKept?: number | undefined;
  /** The number of blocks that a development chain can take back; none by default. */
  readonly undoBlocks?: number | undefined;
  /** Loads what has the writer verify small batches itself; nothing by default. */
  readonly loadVerifier?: (() => Promise<OwnVerifier>) | undefined;
  /** The front's reactions to the writer's messages; by default none, except that a failure fails the test. */
  readonly listener?: Partial<WriterListener>;
}

/** A writer and the front's client of it, in one thread. */
export function directWriter({
  parameters,
  store,
  clock,
  production,
  signer,
  evidence,
  finalityCheckpoint,
  blocksKept,
  undoBlocks,
  loadVerifier,
  listener = {},
}: DirectWriterParts): {
  readonly writer: Writer;
  readonly client: WriterClient;
} {
  const [front, writerEnd] = directPorts<FromWriter, ToWriter>();
  const writer = new Writer(
    { durable: false, checkpoints: [], finalityCheckpoint, blocksKept, undoBlocks, production },
    {
      ...{ parameters, store, clock, signer, evidence, log: silentLog, front: writerEnd, takeDelaySeconds: () => 0 },
      loadVerifier,
      die: () => assert.fail('the writer has failed'),
    },
  );
  const client = new WriterClient(front, {
    ...{
      verdicts: () => undefined,
      verifierLoaded: () => undefined,
      unverified: () => undefined,
      dropped: () => undefined,
      produced: () => undefined,
      standbySwitch: () => undefined,
      alive: () => undefined,
      finality: () => undefined,
      voting: () => undefined,
      finalised: () => undefined,
      production: () => undefined,
      failed: (fault) => assert.fail(fault),
    },
    ...listener,
  });
  return { writer, client };
}
