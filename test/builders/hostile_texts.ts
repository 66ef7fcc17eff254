import { Refusal, unlessRefused } from '../../src/base/refusal.ts';
import { present } from '../../src/base/assert.ts';
import { ByteWriter, textOfBytes } from '../../src/codec/bytes.ts';
import type { Json } from '../../src/codec/json.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { operationCodec, operationKinds } from '../../src/operations/index.ts';
import type { Operation, OperationKind } from '../../src/operations/operation.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { profileNamed } from '../../src/settings/chain_settings.ts';
import { devGenesisText } from '../../src/dev_chain/dev_genesis.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';
import { timeText } from '../../src/values/time.ts';
import { testKey, testKeyText, encoding, unsignedTransaction } from './chain.ts';
import { produceNext, stoppedChain, type StoppedChain } from './stopped_chain.ts';

/** Bytes that texts of strangers may hold, by what is wrong with them. None is the bytes of a harmless text. */
export const hostileBytes: Readonly<Record<string, Buffer>> = {
  'no UTF-8': Buffer.from('61ff62', 'hex'),
  'a continuation alone': Buffer.from('80', 'hex'),
  'a character cut off': Buffer.from('61f09f9b', 'hex'),
  'an overlong NUL': Buffer.from('c080', 'hex'),
  'beyond Unicode': Buffer.from('f4908080', 'hex'),
  'half of a surrogate pair': Buffer.from('61eda080', 'hex'),
  'a surrogate pair in CESU': Buffer.from('eda0bdedb880', 'hex'),
  NUL: Buffer.from('610062', 'hex'),
  'NUL alone': Buffer.from('00', 'hex'),
  'the replacement character': Buffer.from('61efbfbd62', 'hex'),
  'what SQL has for NUL': Buffer.from('61efbfbd3062efbfbdefbfbd', 'hex'),
  C0: Buffer.from([...Array.from({ length: 31 }, (_, code) => code + 1), 0x7f]),
  C1: Buffer.from(Array.from({ length: 32 }, (_, code) => String.fromCodePoint(0x80 + code)).join('')),
  bidi: Buffer.from('a\u202ab\u202bc\u202cd\u202de\u202ef\u2066g\u2067h\u2068i\u2069j\u200ek\u200fl\u061cm'),
  'line ends of Unicode': Buffer.from('a\u2028b\u2029c\u0085d\ufeffe\u{10ffff}f\ufffe'),
  escapes: Buffer.from('\\u0000 \\ud800 \\ufffd " \\N \\. \t\r\n {{ $1 </script><!--'),
};

/** One operation of the corpus: which member holds which text. */
export interface HostileCase {
  readonly kind: string;
  readonly member: string;
  readonly bytes: string;
  readonly operation: Operation;
}

/** The corpus on a chain: what stands in its blocks, and what was refused by which name. */
export interface HostileTexts {
  readonly accepted: readonly HostileCase[];
  readonly refused: readonly (HostileCase & { readonly code: string })[];
  /** Numbers of the first and the last block that hold the corpus. */
  readonly first: number;
  readonly last: number;
}

/** A chain that is to be filled. Its accounts alice and bob have coins, and sign with the secrets of their names. */
export interface TextGround {
  readonly chain: Chain;
  readonly parameters: ChainParameters;
  readonly produce: () => void;
}

/** The kinds whose members of strangers' bytes are shown as hex digits: no text of theirs can be misread. */
const BYTES_ONLY = new Set(['custom', 'custom_binary']);
const IN_PRIVATE_NETS = 'admin_witness_update';
/** The register has one member of texts there, which holds names of properties and the URL. */
const PROPERTIES = 'props';
const PARTS_OF_PROPERTIES = ['name of a property', 'url'];
const APPLICATION = 'corpus';
const FEE = '1.000000 COIN';
const QUOTE = Buffer.from('"');

/** Every text of every kind of operation, each with every hostile text and one of the largest size. */
export function fillWithHostileTexts(ground: TextGround): HostileTexts {
  const corpus = new Corpus(ground);
  corpus.prepare();
  const first = ground.chain.head.number + 1;
  for (const kind of Object.values(operationKinds)) {
    if (BYTES_ONLY.has(kind.name) || (kind.name === IN_PRIVATE_NETS) !== ground.parameters.isPrivateNet) continue;
    for (const member of kind.textMembers.flatMap((name) => (name === PROPERTIES ? PARTS_OF_PROPERTIES : name)))
      corpus.fill(kind, member);
  }
  return { accepted: corpus.accepted, refused: corpus.refused, first, last: ground.chain.head.number };
}

class Corpus {
  readonly accepted: HostileCase[] = [];
  readonly refused: (HostileCase & { code: string })[] = [];
  readonly #ground: TextGround;
  #number = 0;

  constructor(ground: TextGround) {
    this.#ground = ground;
  }

  /** Makes the accounts and objects that the operations of the corpus name. */
  prepare(): void {
    const { produce, parameters } = this.#ground;
    produce();
    if (parameters.isPrivateNet) return;
    const vesting = { from: 'alice', to: '', amount: '300000.000000 COIN' };
    this.#send(operationCodec.fromJson(['transfer_to_vesting', { fee: FEE, ...vesting }], encoding));
    produce();
    this.#send(this.#read('witness_update', {}));
    this.#send(this.#read('application_create', { name: APPLICATION }));
    produce();
  }

  fill(kind: OperationKind, member: string): void {
    for (const [name, bytes] of Object.entries(hostileBytes)) {
      this.#try(kind, member, name, bytes);
      // Where a text has to be JSON, it may hold them in quotes.
      if (isJson(member)) this.#try(kind, member, `${name}, in quotes`, quoted(bytes));
    }
    this.#try(kind, member, 'the largest size', this.#largest(kind, member));
    this.#ground.produce();
  }

  #try(kind: OperationKind, member: string, bytes: string, text: Buffer): void {
    const operation = this.#with(kind, member, text);
    const tried = { kind: kind.name, member, bytes, operation };
    try {
      this.#send(operation);
      this.accepted.push(tried);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.refused.push({ ...tried, code: error.code });
    }
  }

  #send(operation: Operation): void {
    const { chain, parameters } = this.#ground;
    chain.accept(unsignedTransaction(chain, parameters, [operation], operationSigners(operation)));
  }

  /** The longest text that the chain takes: found by halving. */
  #largest(kind: OperationKind, member: string): Buffer {
    const { chain, parameters } = this.#ground;
    const makeText = (length: number): Buffer => {
      const filled = Buffer.alloc(length, 'z');
      return isJson(member) ? quoted(filled) : filled;
    };
    const fits = (length: number): boolean => {
      const operation = unlessRefused(() => this.#with(kind, member, makeText(length)));
      if (operation === undefined) return false;
      const transaction = unsignedTransaction(chain, parameters, [operation], operationSigners(operation));
      return (
        transaction.packed.length <= parameters.maxTransactionBytes && chain.check(transaction).refusal === undefined
      );
    };
    let [least, most] = [1, parameters.maxTransactionBytes];
    while (most - least > 1) {
      const middle = (least + most) >> 1;
      if (fits(middle)) least = middle;
      else most = middle;
    }
    return makeText(least);
  }

  #with(kind: OperationKind, member: string, bytes: Buffer): Operation {
    const text = textOfBytes(bytes);
    if (kind.name !== 'witness_set_properties') return this.#read(kind.name, { [member]: text });
    const out = new ByteWriter();
    out.text(text);
    const property = member === 'url' ? ['url', Buffer.from(out.finish()).toString('hex')] : [text, '00'];
    return this.#read(kind.name, { props: [['key', testKey('alice')], property] });
  }

  /** An operation of that kind on this chain, with texts as the chain has them in memory. */
  #read(kind: string, texts: Readonly<Record<string, Json>>): Operation {
    const { chain } = this.#ground;
    const key = testKeyText('alice');
    const by: Json = { weight_threshold: 1, account_auths: [], key_auths: [[key, 1]] };
    const props = { account_creation_fee: '0.050000 COIN', maximum_block_size: 262_144, price_feeds: [] };
    const number = ++this.#number;
    const day = 86_400;
    const ends = {
      ratification_deadline: timeText(chain.head.time + day),
      escrow_expiration: timeText(chain.head.time + 2 * day),
    };
    const bodies: Readonly<Record<string, { [member: string]: Json }>> = {
      transfer: { from: 'alice', to: 'bob', amount: '0.000001 COIN', memo: '' },
      account_create: {
        creator: 'alice',
        name_seed: `seed ${number}`,
        owner: by,
        active: by,
        memo_key: key,
        json_metadata: '',
      },
      account_update: { account: 'bob', memo_key: key, json_metadata: '' },
      witness_update: { owner: 'alice', url: 'https://a.example', block_signing_key: key, props },
      witness_set_properties: { fee: '0.000000 COIN', owner: 'alice', props: [], extensions: [] },
      admin_witness_update: {
        owner: 'initminer',
        url: 'https://a.example',
        block_signing_key: testKeyText('initminer'),
        props,
      },
      custom_json: { sender: 'alice', recipients: ['bob'], app_id: 1, json: '{}' },
      escrow_transfer: {
        ...{ from: 'alice', to: 'bob', agent: 'carol', escrow_id: number, json_meta: '', ...ends },
        ...{ coin_amount: '0.000002 COIN', escrow_fee: '0.000001 COIN' },
      },
      application_create: {
        author: 'alice',
        name: `app-${number}`,
        url: 'https://a.example',
        metadata: '',
        price_param: 0,
      },
      application_update: { author: 'alice', name: APPLICATION, url: 'https://a.example', metadata: '' },
      application_delete: { author: 'alice', name: APPLICATION },
    };
    const body = present(bodies[kind], `a body of ${kind}`);
    return operationCodec.fromJson([kind, { fee: FEE, ...body, ...texts }], encoding);
  }
}

/** The account that acts; alice where a key of hers does. */
function operationSigners(operation: Operation): readonly string[] {
  return operation.authorities().active ?? ['alice'];
}

function isJson(member: string): boolean {
  return /^json|^metadata$/.test(member);
}

function quoted(bytes: Buffer): Buffer {
  return Buffer.concat([QUOTE, bytes, QUOTE]);
}

/** An operation as blocks hold it, as hex digits. */
export function operationHex(operation: Operation): string {
  const out = new ByteWriter();
  operationCodec.write(out, operation);
  return Buffer.from(out.finish()).toString('hex');
}

/**
 * A chain with the corpus in a folder, as a stopped node leaves it, and the operations of its transactions in order.
 */
export interface HostileFolder extends StoppedChain {
  readonly operations: readonly string[];
  readonly blocks: number;
}

/** In the lineage a block is irreversible once a round has passed. */
const BLOCKS_BEHIND = 60;
const SLOTS_LEFT = 200; // for the corpus, so that no block is of the future
const SECONDS = 3;

/** Makes such a chain, all of whose corpus is irreversible. */
export async function hostileFolder(folder: string, rules: RuleSet): Promise<HostileFolder> {
  const text = devGenesisText(
    profileNamed('default'),
    Math.trunc(Date.now() / 1000) - (BLOCKS_BEHIND + SLOTS_LEFT) * SECONDS,
  );
  const genesis: object = JSON.parse(text);
  const operations: string[] = [];
  let blocks = 0;
  const stopped = await stoppedChain(
    folder,
    JSON.stringify({ ...genesis, rules, confirmations_from_block: 1 }),
    (chain, parameters) => {
      fillWithHostileTexts({ chain, parameters, produce: () => produceNext(chain) });
      for (let block = 0; block < BLOCKS_BEHIND; block++) produceNext(chain);
      blocks = chain.head.number;
      for (let number = 1; number <= blocks; number++)
        for (const { transaction } of present(chain.block(number), 'a block').transactions)
          operations.push(...transaction.operations.map(operationHex));
    },
  );
  return { ...stopped, operations, blocks };
}
