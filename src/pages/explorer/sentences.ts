import type { HexText, Operation } from '../../client/index.ts';
import { timeText } from './words.ts';
import { amountText, counted, countText } from '../../values/words.ts';

/** A part of a sentence. What strangers wrote is `said`: it is shown as text, in quotation marks. */
export type Piece =
  | string
  | { readonly account: string }
  | { readonly amount: string }
  | { readonly said: string }
  | { readonly key: string }
  | { readonly application: string }
  | { readonly applicationId: bigint };

type Sentence = readonly Piece[];
type Kind = Operation[0];
type Bodies = { readonly [N in Kind]: Extract<Operation, readonly [N, unknown]>[1] };
type Sentences = { readonly [N in Kind]: (body: Bodies[N]) => Sentence };

const account = (name: string): Piece => ({ account: name });
const amount = (text: string): Piece => ({ amount: text });
const said = (text: string): Piece => ({ said: text });

/** A text of the chain; bytes that are none are shown as hex digits. */
export function shownText(text: string | HexText): string {
  return typeof text === 'string' ? text : `the bytes ${text.hex}, which are no text`;
}

/** ` with the memo “…”`, or nothing where there is none. */
function saying(what: string, text: string): Sentence {
  return text === '' ? [] : [` ${what} `, said(text)];
}

function listSentence(names: readonly string[]): Sentence {
  return listOfPieces(names.map(account));
}

function listOfPieces(pieces: readonly Piece[]): Sentence {
  return pieces.flatMap((piece, index) =>
    index === 0 ? [piece] : [index === pieces.length - 1 ? ' and ' : ', ', piece],
  );
}

/** Properties that have a meaning; a witness may name others as it likes. */
const PROPERTIES: ReadonlySet<unknown> = new Set([
  'key',
  'account_creation_fee',
  'maximum_block_size',
  'new_signing_key',
  'exchange_rates',
  'url',
]);

function propertyPiece(name: string | HexText): Piece {
  return typeof name === 'string' && PROPERTIES.has(name) ? name.replaceAll('_', ' ') : said(shownText(name));
}

interface Document {
  readonly sender: string;
  readonly recipients: readonly string[];
  readonly app_id: bigint;
}

function document({ sender, recipients, app_id }: Document, what: string): Sentence {
  const to: Sentence = recipients.length === 0 ? [' for nobody by name'] : [' to ', ...listSentence(recipients)];
  return [account(sender), ` sent ${what}`, ...to, ' in ', { applicationId: app_id }];
}

function bytesText(hex: string): string {
  return counted(hex.length / 2, 'byte');
}

interface Escrow {
  readonly from: string;
  readonly to: string;
  readonly escrow_id: number;
}

function escrow({ from, to, escrow_id }: Escrow): Sentence {
  return [`escrow ${escrow_id} from `, account(from), ' to ', account(to)];
}

interface WitnessProps {
  readonly account_creation_fee: string;
  readonly maximum_block_size: number;
}

function proposes({ account_creation_fee, maximum_block_size }: WitnessProps): Sentence {
  return [
    ` and proposes a fee of `,
    amount(account_creation_fee),
    ` for new accounts and blocks of ${countText(maximum_block_size)} bytes`,
  ];
}

/** The plain words for each kind of operation. */
const sentences: Sentences = {
  transfer: ({ from, to, amount: sum, memo }) => [
    account(from),
    ' sent ',
    amount(sum),
    ' to ',
    account(to),
    ...saying('with the memo', memo),
  ],
  transfer_to_vesting: ({ from, to, amount: sum }) => [
    account(from),
    ' turned ',
    amount(sum),
    ' into vesting shares',
    ...(to === '' || to === from ? [] : [' of ', account(to)]),
  ],
  withdraw_vesting: ({ account: name, vesting_shares: shares }) =>
    /^-?[0.]+ /.test(shares)
      ? [account(name), ' stopped turning vesting shares back into coins']
      : [account(name), ' began to turn ', amount(shares), ' back into coins, in instalments'],
  account_create: ({ creator, name_seed: seed }) => [
    account(creator),
    ' created an account, named after ',
    ...(typeof seed === 'string' ? ['the seed ', said(seed)] : [shownText(seed)]),
  ],
  account_update: ({ account: name, owner, active }) => [
    account(name),
    owner !== undefined && active !== undefined
      ? ' replaced its owner and active authorities'
      : owner !== undefined
        ? ' replaced its owner authority'
        : active !== undefined
          ? ' replaced its active authority'
          : ' changed its memo key or its description',
  ],
  account_delete: ({ account: name }) => [account(name), ' gave its keys up for good'],
  account_witness_vote: ({ account: voter, witness, approve }) => [
    account(voter),
    approve ? ' votes for the witness ' : ' no longer votes for the witness ',
    account(witness),
  ],
  account_witness_proxy: ({ account: voter, proxy }) =>
    proxy === ''
      ? [account(voter), ' votes for itself again']
      : [account(voter), ' lets ', account(proxy), ' vote in its place'],
  witness_update: ({ owner, url, block_signing_key: key, props }) => [
    account(owner),
    ' is a witness who signs with ',
    { key },
    ...saying('and presents itself at', url),
    ...proposes(props),
  ],
  admin_witness_update: ({ owner, block_signing_key: key, props }) => [
    'The founder made ',
    account(owner),
    ' a witness who signs with ',
    { key },
    ...proposes(props),
  ],
  witness_stop: ({ owner }) => [account(owner), ' stopped being a witness'],
  witness_set_properties: ({ owner, props }) => [
    'The witness ',
    account(owner),
    ' changed ',
    ...listOfPieces(props.map(([name]) => propertyPiece(name))),
  ],
  feed_publish: ({ publisher, exchange_rate: { base, quote } }) => [
    'The witness ',
    account(publisher),
    ' says that ',
    amount(base),
    ' is worth ',
    amount(quote),
  ],
  application_create: ({ author, name, url }) => [
    account(author),
    ' registered the application ',
    { application: name },
    ...saying('found at', url),
  ],
  application_update: ({ author, name, new_author: next }) =>
    next === undefined
      ? [account(author), ' changed the application ', { application: name }]
      : [account(author), ' handed the application ', { application: name }, ' over to ', account(next)],
  application_delete: ({ author, name }) => [account(author), ' deleted the application ', said(name)],
  buy_application: ({ buyer, app_id: applicationId }) => [account(buyer), ' bought ', { applicationId }],
  cancel_application_buying: ({ app_owner, buyer, app_id: applicationId }) => [
    account(app_owner),
    ' took the purchase of ',
    { applicationId },
    ' by ',
    account(buyer),
    ' back',
  ],
  custom: (body) => document(body, bytesText(body.data)),
  custom_json: (body) => [...document(body, 'a document'), ': ', said(body.json)],
  custom_binary: (body) => document(body, `a binary document of ${bytesText(body.data)}`),
  escrow_transfer: ({ from, to, agent, escrow_id, coin_amount, escrow_fee, ratification_deadline }) => [
    account(from),
    ' puts ',
    amount(coin_amount),
    ' for ',
    account(to),
    ' into escrow with ',
    account(agent),
    ` as agent, who gets `,
    amount(escrow_fee),
    `: escrow ${escrow_id}, to be agreed to by ${timeText(ratification_deadline)}`,
  ],
  escrow_approve: (body) => [account(body.who), body.approve ? ' agreed to ' : ' turned down ', ...escrow(body)],
  escrow_dispute: (body) => [
    account(body.who),
    ' disputes ',
    ...escrow(body),
    ', which its agent ',
    account(body.agent),
    ' now decides',
  ],
  escrow_release: (body) => [
    account(body.who),
    ' released ',
    amount(body.coin_amount),
    ' to ',
    account(body.receiver),
    ' out of ',
    ...escrow(body),
  ],
  request_account_recovery: ({ recovery_account: by, account_to_recover: of }) => [
    account(by),
    ' asks for a new owner authority of ',
    account(of),
    ', whose keys may be in the wrong hands',
  ],
  recover_account: ({ account_to_recover: name }) => [account(name), ' was recovered and has a new owner authority'],
  change_recovery_account: ({ account_to_recover: of, new_recovery_account: by }) => [
    account(of),
    ' wants ',
    account(by),
    ' to be who can recover it, in 30 days',
  ],
  reset_account: ({ reset_account: by, account_to_reset: of }) => [
    account(by),
    ' gave ',
    account(of),
    ' a new owner authority after long silence',
  ],
  set_reset_account: ({ account: of, reset_account: by }) => [
    account(of),
    ' lets ',
    account(by),
    ' reset it after long silence',
  ],
  sponsor_fees: ({ sponsor, sponsored, is_sponsoring: isSponsoring }) =>
    sponsor === ''
      ? [account(sponsored), ' pays its fees itself again']
      : [account(sponsor), isSponsoring ? ' pays the fees of ' : ' no longer pays the fees of ', account(sponsored)],
  transfer_from_promotion_pool: ({ transfer_to: to, amount: sum }) => [
    'The founder gave ',
    amount(sum),
    ' from the promotion pool to ',
    account(to),
  ],
  fill_vesting_withdraw: ({ from_account: from, to_account: to, withdrawn, deposited }) => [
    amount(withdrawn),
    ' of ',
    account(from),
    ' became ',
    amount(deposited),
    ...(to === from ? [] : [' of ', account(to)]),
    ', an instalment',
  ],
  hardfork: ({ hardfork_id: id }) => [`The rules of hardfork ${id} hold from here on`],
  interest: ({ owner, interest }) => [account(owner), ' was paid ', amount(interest), ' as interest'],
  producer_reward: ({ producer, vesting_shares: shares }) => [
    account(producer),
    ' was rewarded with ',
    amount(shares),
    ' for this block',
  ],
  promotion_pool_withdraw: ({ to_account: to, withdrawn }) => [
    amount(withdrawn),
    ' left the promotion pool for ',
    account(to),
  ],
  shutdown_witness: ({ owner }) => [
    'The witness ',
    account(owner),
    ' missed its slots for a day and lost its signing key',
  ],
};

/** The names of all kinds of operations. */
export const operationNames: readonly string[] = Object.keys(sentences);

/** Describes an operation in plain words. */
export function operationSentence(operation: Operation): Sentence;
export function operationSentence<N extends Kind>([kind, body]: readonly [N, Bodies[N]]): Sentence {
  return sentences[kind](body);
}

/** The same as text alone. */
export function sentenceText(sentence: Sentence): string {
  return sentence.map(pieceText).join('');
}

function pieceText(piece: Piece): string {
  if (typeof piece === 'string') return piece;
  if ('account' in piece) return piece.account;
  if ('amount' in piece) return amountText(piece.amount);
  if ('said' in piece) return `“${piece.said}”`;
  if ('key' in piece) return piece.key;
  return 'application' in piece ? piece.application : `application ${piece.applicationId}`;
}
