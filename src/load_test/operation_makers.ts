import { accountWitnessVote } from '../operations/account_witness_vote.ts';
import { customJson } from '../operations/custom_json.ts';
import { customBinary } from '../operations/custom_binary.ts';
import { escrowTransfer } from '../operations/escrow_transfer.ts';
import { feedPublish } from '../operations/feed_publish.ts';
import type { SignedTransaction } from '../blocks/transaction.ts';
import { transfer } from '../operations/transfer.ts';
import { transferToVesting } from '../operations/transfer_to_vesting.ts';
import type { Asset } from '../values/asset.ts';

type Operation = SignedTransaction['operations'][number];

/** The inputs of one operation of a load. */
export interface Drawn {
  readonly from: string;
  readonly to: string;
  /** Neither `from` nor `to` where there are three accounts. */
  readonly third: string;
  /** From 1 on; of this load no other transaction has it. */
  readonly number: number;
  /** 32 bits that no other transaction of this load has, and hardly one of an earlier load. */
  readonly unique: number;
  readonly symbol: string;
  readonly fee: Asset;
  /** A text of the form's length. */
  readonly text: string;
  /** Of the head, in seconds. */
  readonly time: number;
  /** For whom votes are. */
  readonly witness: string;
}

const FIRST_DAYS = 86_400;
const APP_ID = 1;

/** Makes an operation of each kind, valid whatever has come before and whoever sends at the same time. */
export const operationMakers: Readonly<Record<string, (drawn: Drawn) => readonly Operation[]>> = {
  transfer: ({ fee, from, to, number, symbol, text }) => [
    transfer.of({ fee, from, to, amount: { amount: BigInt(number), symbol }, memo: text }),
  ],

  custom_json: ({ fee, from, to, unique, text }) => [
    customJson.of({
      fee,
      sender: from,
      recipients: [to],
      app_id: BigInt(APP_ID),
      json: JSON.stringify({ number: unique, text }),
    }),
  ],

  custom_binary: ({ fee, from, to, unique, text }) => [
    customBinary.of({
      fee,
      sender: from,
      recipients: [to],
      app_id: BigInt(APP_ID),
      data: Buffer.from(`${unique} ${text}`).toString('hex'),
    }),
  ],

  // Whoever votes twice for the same is refused, and the order of what is sent at once is anybody's guess.
  account_witness_vote: ({ fee, from, witness }) =>
    [true, false].map((approve) => accountWitnessVote.of({ fee, account: from, witness, approve })),

  transfer_to_vesting: ({ fee, from, number, symbol }) => [
    transferToVesting.of({ fee, from, to: from, amount: { amount: BigInt(number), symbol } }),
  ],

  feed_publish: ({ fee, from, number, symbol }) => [
    feedPublish.of({
      fee,
      publisher: from,
      exchange_rate: {
        base: { amount: 1_000_000n, symbol },
        quote: { amount: 200_000n + BigInt(number % 100_000), symbol: 'USD' },
      },
    }),
  ],

  escrow_transfer: ({ fee, from, to, third, number, unique, symbol, text, time }) => [
    escrowTransfer.of({
      fee,
      from,
      to,
      coin_amount: { amount: BigInt(number), symbol },
      escrow_id: unique,
      agent: third,
      escrow_fee: { amount: 1n, symbol },
      json_meta: text === '' ? '' : JSON.stringify({ text }),
      ratification_deadline: time + FIRST_DAYS,
      escrow_expiration: time + 2 * FIRST_DAYS,
    }),
  ],
};

/** Kinds that only active witnesses may send. */
export const kindsOfWitnesses: readonly string[] = ['feed_publish'];
