import { certificate as certificateCodec, type Certificate } from '../../blocks/finality/certificate.ts';
import { followsByThird, type EndedEpoch } from '../../blocks/finality/ended_epoch.ts';
import { epochBoundary, isMilestone } from '../../blocks/finality/epochs.ts';
import { epochVoters } from '../../blocks/finality/voters.ts';
import { ByteReader, ByteWriter } from '../../codec/bytes.ts';
import { boundaryCertificateKey, boundaryCertificateRange, HEAD_COLUMN, votersKey } from '../../state/head_record.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import type { KeyValueReader, WriteBatch } from '../../storage/key_value.ts';
import { decodeEpoch } from './begun_epoch.ts';

/**
 * The certificates of the last blocks of rounds, with their voters. The newest ones are all kept. Of older ones the
 * milestones are, and those without which the next kept one would be signed by no more than a third of the voters of
 * the one before.
 */
export class BoundaryCertificates {
  readonly #store: KeyValueReader;
  readonly #parameters: ChainParameters;
  readonly #epochsKept: number;

  constructor(store: KeyValueReader, parameters: ChainParameters, epochsKept: number) {
    this.#store = store;
    this.#parameters = parameters;
    this.#epochsKept = epochsKept;
  }

  /**
   * Adds the certificate of a final block to the write that makes it final, where the block is the last one of its
   * round.
   */
  note(batch: WriteBatch, number: number, certificate: Uint8Array): void {
    const { max_witnesses } = this.#parameters.genesis;
    if (certificate.length === 0 || number % max_witnesses !== 0) return;
    batch.put(HEAD_COLUMN, boundaryCertificateKey(number), certificate);
    this.#thin(batch, number / max_witnesses - 1 - this.#epochsKept);
  }

  /** An epoch that has ended; undefined where it has not, and where it is kept no more. */
  ended(epoch: number): EndedEpoch | undefined {
    const { chainId, genesis } = this.#parameters;
    const packed = this.#store.get(HEAD_COLUMN, boundaryCertificateKey(epochBoundary(epoch, genesis.max_witnesses)));
    const named = this.#store.get(HEAD_COLUMN, votersKey(epoch * genesis.max_witnesses));
    if (packed === undefined || named === undefined) return undefined;
    const { keys } = decodeEpoch(named);
    return { voters: epochVoters(chainId, epoch, keys), certificate: certificateCodec.read(new ByteReader(packed)) };
  }

  /** The first epochs that have ended from this one on, in order, as far as they are kept. */
  endedEpochs(epoch: number, count: number): EndedEpoch[] {
    const { max_witnesses } = this.#parameters.genesis;
    const range = boundaryCertificateRange(epochBoundary(epoch, max_witnesses), LAST_NUMBER);
    return this.#store
      .range(HEAD_COLUMN, { ...range, limit: count })
      .flatMap(({ key }) => this.ended(Buffer.from(key).readUInt32BE(key.length - 4) / max_witnesses - 1) ?? []);
  }

  /** Deletes an epoch that has become old, unless it is one of those that stay. */
  #thin(batch: WriteBatch, epoch: number): void {
    if (epoch <= 0 || isMilestone(epoch)) return;
    const [next] = this.endedEpochs(epoch + 1, 1);
    const before = this.#previousEnded(epoch);
    if (next === undefined || before === undefined || !followsByThird(next, before.voters)) return;
    const { max_witnesses } = this.#parameters.genesis;
    batch.delete(HEAD_COLUMN, boundaryCertificateKey(epochBoundary(epoch, max_witnesses)));
    batch.delete(HEAD_COLUMN, votersKey(epoch * max_witnesses));
  }

  #previousEnded(epoch: number): EndedEpoch | undefined {
    const { max_witnesses } = this.#parameters.genesis;
    const range = boundaryCertificateRange(0, epochBoundary(epoch - 1, max_witnesses));
    const [last] = this.#store.range(HEAD_COLUMN, { ...range, limit: 1, reverse: true });
    return last && this.ended(Buffer.from(last.key).readUInt32BE(last.key.length - 4) / max_witnesses - 1);
  }
}

const LAST_NUMBER = 0xffff_ffff;
/** More than 32-bit numbers of blocks leave of old epochs, and three years of new ones. */
const MOST_EPOCHS = 1_000_000;

/** The certificates of the last blocks of rounds from one block to another, in order, as far as they are kept. */
export function boundaryCertificates(store: KeyValueReader, first: number, last: number): Certificate[] {
  const entries = store.range(HEAD_COLUMN, { ...boundaryCertificateRange(first, last), limit: MOST_EPOCHS });
  return entries.map(({ value }) => certificateCodec.read(new ByteReader(value)));
}

/** A certificate as it is stored. */
export function packedCertificate(certificate: Certificate): Uint8Array {
  const out = new ByteWriter();
  certificateCodec.write(out, certificate);
  return out.finish();
}
