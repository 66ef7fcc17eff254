import type { Log } from '../base/log.ts';
import { quorumSize } from '../blocks/finality/voters.ts';
import { isWhole, VIEWS_UNCERTAIN } from '../blocks/finality/voting_rule.ts';
import type { Finality } from '../chain/finality/finality.ts';
import type { FinalityChain } from '../chain/finality/finality_chain.ts';
import type { VotedChain } from '../chain/finality/voted_chain.ts';
import type {
  CertificateDescription,
  JournalDescription,
  OwnVoterDescription,
  VotingDescription,
} from '../rpc/services.ts';
import type { ChainParameters } from '../state/parameters.ts';
import { getBlockNumber } from '../values/hash.ts';
import { publicKeyText, type PublicKey } from '../values/public_key.ts';
import type { Seconds } from '../values/time.ts';
import type { VotingNews } from './voting_news.ts';
import type { Evidence } from './evidence.ts';
import type { FinalStanding, VoteWatch } from './vote_watch.ts';
import type { VotingKeys } from './voting_keys.ts';

const WAITS_SENTENCES = {
  clock:
    'this node does not vote yet: its journal of votes begins once a peer that this node has dialled, or that its operator has named, confirms the clock of this machine within 2 seconds; name one as p2p-seed-node, or set the clock right',
  signer:
    'this node does not vote yet: the signer has not begun the journal of votes; see whether pharos signer runs, and its log',
};

/** The parts that tell how finality stands. */
export interface StandingParts {
  readonly chain: { readonly voted: Pick<FinalityChain, 'blockSlot'> & Pick<VotedChain, 'finalCertificate'> };
  readonly parameters: Pick<ChainParameters, 'blockIntervalSeconds' | 'profile'>;
  readonly keys: VotingKeys;
  readonly watch: VoteWatch;
  readonly evidence: Evidence;
  readonly log: Pick<Log, 'error' | 'warning'>;
}

/** Tells people how finality stands: what is final, who votes, and what an operator has to do. */
export class VotingStanding {
  readonly #parts: StandingParts;
  readonly #machine: Pick<Finality, 'final' | 'epoch' | 'ownVoters'>;
  #said: ReadonlySet<string> = new Set();

  constructor(parts: StandingParts, machine: Pick<Finality, 'final' | 'epoch' | 'ownVoters'>) {
    this.#parts = parts;
    this.#machine = machine;
  }

  /** All of it, for whoever asks. */
  report(slot: number): VotingDescription {
    const { final, epoch } = this.#machine;
    const { watch, keys, evidence } = this.#parts;
    const { voters } = epoch;
    const stalledSince = watch.stalledSince(slot, this.#standing.slot);
    return {
      ...{ epoch: voters.epoch, final, voters: voters.keys.length, quorum: quorumSize(voters) },
      votes: watch.voters(voters, slot),
      certificate: this.#certificate,
      stalledSince,
      stalledSeconds: stalledSince === undefined ? 0 : this.#slotTime(slot) - stalledSince,
      stalls: watch.stalls,
      own: this.#own,
      journals: this.#journals,
      lacking: keys.lacking(epoch),
      evidence: [...evidence.problems, ...evidence.warnings],
    };
  }

  /** Returns the state for the front, in each slot, and logs its changes. */
  news(slot: number): VotingNews {
    const { watch, log, keys, evidence } = this.#parts;
    const { voters } = this.#machine.epoch;
    const { waitsFor } = keys;
    const final = this.#standing;
    const stall = watch.problem(final, slot);
    const line = watch.newProblem(stall);
    if (line !== undefined) log.error(line, 'finality_stalled', {});
    const missing = watch.missing(voters, slot);
    const [lacking, replaced] = [this.#lackingSentences(missing), this.#replacedSentences()];
    this.#sayNew([...lacking, ...replaced]);
    return {
      ...{ epoch: voters.epoch, voters: voters.keys.length, quorum: quorumSize(voters) },
      ...{ missing: missing.length, missingNames: watch.names(missing) },
      stalledSince: watch.stalledSince(slot, final.slot),
      certificate: this.#certificate,
      problems: [
        ...(stall === undefined ? [] : [stall]),
        ...(waitsFor === undefined ? [] : [WAITS_SENTENCES[waitsFor]]),
        ...lacking,
        ...evidence.problems,
      ],
      warnings: [...replaced, ...evidence.warnings],
    };
  }

  get #journals(): JournalDescription[] {
    const begun = this.#machine.ownVoters.filter(({ isStopped }) => !isStopped);
    return begun.map(({ key, record }) => ({
      key,
      wholeFrom: record.signed_first_block ? 0 : this.#slotTime(record.begun + VIEWS_UNCERTAIN),
    }));
  }

  get #own(): OwnVoterDescription[] {
    const { epoch, ownVoters } = this.#machine;
    const own = ownVoters.filter(({ key }) => epoch.voters.keys.includes(key));
    return own.map(({ key, record, isStopped }) => ({
      key,
      lastView: record.last_prepare?.view ?? 0,
      lockView: record.lock?.subject.view ?? 0,
      lockBlock: record.lock === undefined ? 0 : getBlockNumber(record.lock.subject.block),
      isWhole: isWhole(record, epoch),
      isStopped,
      isReplaced: !isStopped && this.#parts.keys.isReplaced(key),
    }));
  }

  /** Votes of a replaced key are needed until its epoch ends. Another machine may cast them. */
  #lackingSentences(missing: readonly PublicKey[]): string[] {
    const { epoch } = this.#machine;
    const lacking = this.#parts.keys.lacking(epoch).filter((key) => missing.includes(key));
    return lacking.map(
      (key) =>
        `this machine has voted with ${this.#keyText(key)}, which votes until epoch ${epoch.voters.epoch + 1} begins, and has its secret no longer: add it again (private-key-file) beside the new one until then, unless another machine votes with it`,
    );
  }

  #replacedSentences(): string[] {
    const { epoch } = this.#machine;
    return this.#own
      .filter(({ isReplaced }) => isReplaced)
      .map(
        ({ key }) =>
          `${this.#keyText(key)} was replaced on the chain and signs no blocks, and votes until epoch ${epoch.voters.epoch + 1} begins: leave its secret beside the new one until then`,
      );
  }

  #sayNew(sentences: readonly string[]): void {
    for (const sentence of sentences)
      if (!this.#said.has(sentence)) this.#parts.log.warning(sentence, 'voters_lacking', {});
    this.#said = new Set(sentences);
  }

  get #standing(): FinalStanding {
    const { final, epoch } = this.#machine;
    const { voted } = this.#parts.chain;
    const isProven = voted.finalCertificate !== undefined && final > 0;
    return { number: final, slot: isProven ? voted.blockSlot(final) : undefined, voters: epoch.voters };
  }

  get #certificate(): CertificateDescription | undefined {
    const certificate = this.#parts.chain.voted.finalCertificate;
    if (certificate === undefined) return undefined;
    const { subject, signatures } = certificate;
    const blockNumber = getBlockNumber(subject.block);
    return { blockNumber, time: this.#slotTime(subject.view), votes: signatures.length };
  }

  #slotTime(slot: number): Seconds {
    return slot * this.#parts.parameters.blockIntervalSeconds;
  }

  #keyText(key: PublicKey): string {
    return publicKeyText(key, this.#parts.parameters.profile.keyPrefix);
  }
}
