import type { WriteLine } from '../base/log_events/index.ts';
import { present } from '../base/assert.ts';
import { catchRefusal, refusals } from '../base/refusal.ts';
import { aliveDigest, type Alive } from '../blocks/alive.ts';
import { headerDigest, type BlockHeader } from '../blocks/header.ts';
import { keySwitchTransaction, type KeySwitch } from '../blocks/key_switch.ts';
import { signWithSecret } from '../blocks/sign_transaction.ts';
import { packTransaction, signingDigest } from '../blocks/transaction.ts';
import { derivePublicKey } from '../crypto/keys.ts';
import type { Digest, Signature } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';
import type { BlockSigner } from './block_signer.ts';
import type { SignAnswer } from './sign_answer.ts';
import { signRecorded, type SigningJournal, type SlotToSign } from './signing_journal.ts';
import type { VotingJournal } from './voting_journal.ts';
import { LocalVotingSigner, type VotingSigner } from './voting_signer.ts';

const refuse = refusals({
  unknown_standby:
    'a switch to the key {key} was asked for, and no standby with that key is named here; name it, or see who asks',
});

/** Signs with keys of this process, and answers at once. */
export class LocalSigner implements BlockSigner {
  readonly keys: ReadonlySet<PublicKey>;
  readonly journal: SigningJournal | undefined;
  readonly #secrets: ReadonlyMap<PublicKey, Uint8Array>;
  readonly #standbyKeys: ReadonlySet<PublicKey>;
  readonly #votes: VotingJournal | undefined;

  /** `standbyKeys` are those that it may hand a witness over to. Without `votes` it votes on no chain. */
  constructor(
    secrets: readonly Uint8Array[],
    journal?: SigningJournal,
    standbyKeys: Iterable<PublicKey> = [],
    votes?: VotingJournal,
  ) {
    this.#secrets = new Map(
      secrets.map((secret) => [
        Buffer.from(present(derivePublicKey(secret), 'a key for the secret')).toString('hex'),
        secret,
      ]),
    );
    this.keys = new Set(this.#secrets.keys());
    this.journal = journal;
    this.#standbyKeys = new Set(standbyKeys);
    this.#votes = votes;
  }

  voting(chain: Digest, warn?: WriteLine<'warning'>): VotingSigner | undefined {
    return this.#votes && new LocalVotingSigner(chain, this.#votes, this.#secrets, warn);
  }

  signBlock(slot: SlotToSign, header: BlockHeader, done: (answer: SignAnswer) => void): void {
    done(makeAnswer(() => this.#sign(slot, header)));
  }

  signSwitch(chain: Digest, terms: KeySwitch, done: (answer: SignAnswer) => void): void {
    done(makeAnswer(() => this.#signSwitch(chain, terms)));
  }

  signAlive(chain: Digest, alive: Alive, done: (signature: Signature) => void): void {
    done(present(signWithSecret(aliveDigest(chain, alive), this.#secretOf(alive.key)), 'a signature'));
  }

  close(): void {
    this.journal?.close();
    this.#votes?.close();
  }

  #secretOf(key: PublicKey): Uint8Array {
    return present(this.#secrets.get(key), 'the secret of a key of this signer');
  }

  #sign(slot: SlotToSign, header: BlockHeader): Signature {
    const secret = this.#secretOf(slot.key);
    const sign = (digest: Uint8Array): Signature => present(signWithSecret(digest, secret), 'a signature');
    const digest = headerDigest(header);
    return this.journal === undefined ? sign(digest) : signRecorded(this.journal, slot, header, digest, sign);
  }
  #signSwitch(chain: Digest, terms: KeySwitch): Signature {
    if (!this.#standbyKeys.has(terms.newKey)) refuse.unknown_standby({ key: terms.newKey });
    const secret = present(this.#secrets.get(terms.key), 'the secret of a key of this signer');
    return present(
      signWithSecret(signingDigest(chain, packTransaction(keySwitchTransaction(terms))), secret),
      'a signature',
    );
  }
}

function makeAnswer(sign: () => Signature): SignAnswer {
  let signature: Signature | undefined;
  const refusal = catchRefusal(() => {
    signature = sign();
  });
  if (refusal !== undefined) return { kind: 'refused', code: refusal.code, message: refusal.message };
  return { kind: 'signed', signature: present(signature, 'a signature') };
}
