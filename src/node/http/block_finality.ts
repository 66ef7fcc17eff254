import { certificate as certificateCodec, type Certificate } from '../../blocks/finality/certificate.ts';
import { epochNumber } from '../../blocks/finality/epochs.ts';
import { quorumOfCount } from '../../blocks/finality/voters.ts';
import { ByteReader } from '../../codec/bytes.ts';
import type { ChainFollower, ChainGap, ChainUpdate } from '../../feed/chain_feed.ts';
import type { Page } from '../../jsonrpc/http/http_server.ts';
import type { FinalitySource } from '../../queries/finality/finality_source.ts';
import { readHeadRecord } from '../../state/head_record.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import type { CommittedRows } from '../../storage/rows.ts';
import { getBlockNumber } from '../../values/hash.ts';
import { timeText } from '../../values/time.ts';
import { jsonPage } from '../../jsonrpc/http/json_page.ts';

/** Certificates that are remembered: an hour of one a block, 200 KB. */
const MOST_REMEMBERED = 1200;

/** The certificate that made blocks final, from `first` up to its own. */
interface MadeFinal {
  readonly first: number;
  readonly certificate: ShownCertificate;
}

export interface BlockFinalityParts {
  readonly rows: CommittedRows;
  readonly finality: Pick<FinalitySource, 'votersOf' | 'boundaryFrom'>;
  readonly parameters: Pick<ChainParameters, 'genesis' | 'blockIntervalSeconds'>;
}

/**
 * Tells the explorer by which certificate a block is final. The store keeps the certificates of the last blocks of
 * rounds and the newest one. Those that came since the start of the node are remembered here.
 */
export class BlockFinality implements ChainFollower {
  readonly #parts: BlockFinalityParts;
  readonly #mostRemembered: number;
  /** Ascending. */
  readonly #remembered: MadeFinal[] = [];
  #final: number;

  constructor(parts: BlockFinalityParts, mostRemembered = MOST_REMEMBERED) {
    this.#parts = parts;
    this.#mostRemembered = mostRemembered;
    this.#final = readHeadRecord(parts.rows).irreversible_number;
  }

  takeUpdate({ head: { irreversible } }: Pick<ChainUpdate, 'head'>): void {
    if (irreversible <= this.#final) return;
    const first = this.#final + 1;
    this.#final = irreversible;
    const certificate = this.#newest();
    // The record has the certificate of a later update if more became final meanwhile.
    if (certificate?.block_num !== irreversible) return;
    this.#remembered.push({ first, certificate });
    if (this.#remembered.length > this.#mostRemembered) this.#remembered.shift();
  }

  takeGap({ head: { irreversible } }: Pick<ChainGap, 'head'>): void {
    this.#final = Math.max(this.#final, irreversible);
  }

  page(number: number): Page {
    return jsonPage(JSON.stringify(this.#found(number)));
  }

  /** The certificate that made a block final, or one that covers it: of the block's own round, or of a later one. */
  #found(number: number) {
    if (number > readHeadRecord(this.#parts.rows).irreversible_number) return { certificate: null };
    const made = this.#remembered.find(({ first, certificate }) => first <= number && number <= certificate.block_num);
    const certificate = made?.certificate ?? this.#boundary(number) ?? this.#newest();
    if (certificate === undefined || certificate.block_num < number) return { certificate: null };
    // A certificate of the block itself can't have come after a later one.
    if (made !== undefined || certificate.block_num === number) return { certificate, relation: 'made_final' };
    return { certificate, relation: certificate.epoch === this.#epoch(number) ? 'same_round' : 'later_round' };
  }

  #epoch(number: number): number {
    return epochNumber(number, this.#parts.parameters.genesis.max_witnesses);
  }

  /** The certificate of the last block of its round; of a later round where that is not kept. */
  #boundary(number: number): ShownCertificate | undefined {
    const ended = this.#parts.finality.boundaryFrom(this.#epoch(number));
    return ended && this.#shown(ended.certificate, ended.voters.keys.length);
  }

  #newest(): ShownCertificate | undefined {
    const { irreversible_certificate: packed } = readHeadRecord(this.#parts.rows);
    if (packed.length === 0) return undefined;
    const certificate = certificateCodec.read(new ByteReader(packed));
    const voters = this.#parts.finality.votersOf(certificate.subject.epoch);
    return voters && this.#shown(certificate, voters.keys.length);
  }

  #shown(certificate: Certificate, voters: number): ShownCertificate {
    return shownCertificate(certificate, voters, this.#parts.parameters.blockIntervalSeconds);
  }
}

type ShownCertificate = ReturnType<typeof shownCertificate>;

/** A certificate as the page has it, with the time of the slot in which the votes were cast. */
function shownCertificate({ subject, signatures }: Certificate, voters: number, intervalSeconds: number) {
  return {
    ...{ block_num: getBlockNumber(subject.block), epoch: subject.epoch },
    ...{ votes: signatures.length, voters, quorum: quorumOfCount(voters) },
    time: timeText(subject.view * intervalSeconds),
  };
}
