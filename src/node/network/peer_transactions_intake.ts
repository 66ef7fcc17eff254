import { Refusal } from '../../base/refusal.ts';
import { hasOneForm } from '../../blocks/signature_form.ts';
import type { Notation } from '../../codec/notation.ts';
import { newSenderId } from '../../jsonrpc/http/sender_ids.ts';
import type { TransactionOutcome } from '../../p2p/chain_access.ts';
import { bundle, type BundledTransaction } from '../../p2p/messages/bundle.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import type { Broadcasts } from '../threads/broadcasts.ts';
import type { TransactionVerdict } from './network_messages.ts';

export interface PeerTransactionsParts {
  readonly parameters: Pick<ChainParameters, 'profile' | 'rules'>;
  readonly broadcasts: Pick<Broadcasts, 'submit'>;
}

const REFUSED: TransactionVerdict = { outcome: 'refused', id: '' };

/** What no honest node has accepted. */
const FORGED: ReadonlySet<string> = new Set(['malformed_bytes', 'signature_without_key', 'signature_not_canonical']);

/** Takes transactions of peers the way of broadcasts: through the same verifiers, in the same batches. */
export class PeerTransactionsIntake {
  readonly #broadcasts: Pick<Broadcasts, 'submit'>;
  readonly #hasOneForm: boolean;
  readonly #notation: Notation;
  /** Peers share a reputation with the verifiers, so that wrong signatures of theirs make only their own group dearer. */
  readonly #senderId = newSenderId();

  constructor({ parameters: { profile, rules }, broadcasts }: PeerTransactionsParts) {
    this.#broadcasts = broadcasts;
    this.#hasOneForm = rules.one_signature_form;
    this.#notation = { ...profile, dialect: 'default', operationForm: 'pair' };
  }

  /** The verdict on each transaction of an encoded bundle, in their order. */
  async submit(bytes: Uint8Array): Promise<TransactionVerdict[]> {
    return await Promise.all(bundle.decode(bytes).map(async (one) => await this.#take(one)));
  }

  async #take({ packed, unsignedBytes }: BundledTransaction): Promise<TransactionVerdict> {
    // What is posted here is brought into the one form; a peer has done so before.
    if (this.#hasOneForm && !hasOneForm(packed, unsignedBytes)) return { outcome: 'forged', id: '' };
    try {
      const raw = { packed, waitFor: 'accepted', notation: this.#notation, senderId: this.#senderId } as const;
      const { transactionId } = await this.#broadcasts.submit(raw);
      return { outcome: 'accepted', id: transactionId };
    } catch (error) {
      return { ...REFUSED, outcome: error instanceof Refusal ? outcomeOf(error) : 'refused' };
    }
  }
}

function outcomeOf({ code }: Refusal): TransactionOutcome {
  if (code === 'duplicate_transaction') return 'known';
  return FORGED.has(code) ? 'forged' : 'refused';
}
