import { Refusal } from '../../base/refusal.ts';
import { hasOneForm } from '../../blocks/signature_form.ts';
import type { EncodingOptions } from '../../codec/encoding_options.ts';
import { newSenderId } from '../../jsonrpc/http/sender_ids.ts';
import { bundle } from '../../wire/messages/bundle.ts';
import type { NodeId } from '../../wire/wire_values.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import type { Broadcasts, JointOutcome } from '../threads/broadcasts/broadcasts.ts';
import type { RawBroadcast } from '../../rpc/services.ts';
import type { SentBundle } from './network_messages.ts';
import type { TransactionVerdict } from './sent_verdicts.ts';

export interface PeerTransactionsParts {
  readonly parameters: Pick<ChainParameters, 'profile' | 'rules'>;
  readonly broadcasts: Pick<Broadcasts, 'submitEach'>;
}

/** Refusals of transactions that no honest node has accepted. */
const FORGED: ReadonlySet<string> = new Set(['malformed_bytes', 'signature_without_key', 'signature_not_canonical']);
const FORGED_FORM: TransactionVerdict = { outcome: 'forged', id: '', isHintRight: false };
/** More than a node has peers. */
const MOST_SENDERS = 1000;

/** Takes transactions of peers the way of broadcasts: through the same verifiers, in the same batches. */
export class PeerTransactionsIntake {
  readonly #broadcasts: Pick<Broadcasts, 'submitEach'>;
  readonly #hasOneForm: boolean;
  readonly #encoding: EncodingOptions;
  /**
   * Each peer has a reputation of its own with the verifiers, so that wrong signatures and hints make its own group
   * dearer.
   */
  readonly #senders = new Map<NodeId, number>();

  constructor({ parameters: { profile, rules }, broadcasts }: PeerTransactionsParts) {
    this.#broadcasts = broadcasts;
    this.#hasOneForm = rules.one_signature_form;
    this.#encoding = { ...profile, dialect: 'default', operationForm: 'pair' };
  }

  /** The verdict on each transaction of these bundles, in their order. */
  async submit(sent: readonly SentBundle[]): Promise<TransactionVerdict[]> {
    const raws: RawBroadcast[] = [];
    const formed: boolean[] = [];
    for (const { from, bundle: bytes } of sent) {
      const senderId = this.#senderId(from);
      for (const { packed, unsignedBytes, key } of bundle.decode(bytes)) {
        // Posted transactions are brought into the one form; a peer has done so before.
        const isFormed = !this.#hasOneForm || hasOneForm(packed, unsignedBytes);
        formed.push(isFormed);
        if (isFormed) raws.push({ packed, hint: key, waitFor: 'accepted', encoding: this.#encoding, senderId });
      }
    }
    const verdicts = (await this.#broadcasts.submitEach(raws)).values();
    return formed.map((isFormed) => (isFormed ? makeVerdict(verdicts.next().value) : FORGED_FORM));
  }

  #senderId(from: NodeId): number {
    const known = this.#senders.get(from) ?? newSenderId();
    this.#senders.delete(from);
    this.#senders.set(from, known);
    if (this.#senders.size > MOST_SENDERS)
      for (const oldest of this.#senders.keys()) return this.#forget(oldest, known);
    return known;
  }

  #forget(oldest: NodeId, kept: number): number {
    this.#senders.delete(oldest);
    return kept;
  }
}

function makeVerdict(ended: JointOutcome | undefined): TransactionVerdict {
  const { id = '', refusal, isHintRight = true } = ended ?? {};
  if (refusal === undefined) return { outcome: ended === undefined ? 'refused' : 'accepted', id, isHintRight };
  return { outcome: refusal instanceof Refusal ? refusalOutcome(refusal) : 'refused', id: '', isHintRight };
}

function refusalOutcome({ code }: Refusal): TransactionVerdict['outcome'] {
  if (code === 'duplicate_transaction') return 'known';
  return FORGED.has(code) ? 'forged' : 'refused';
}
