import { Type } from '../../jsonrpc/envelope/typebox.ts';
import type { Refusal } from '../../base/refusal.ts';
import type { AuthorityWarning } from '../../blocks/authority_warnings.ts';
import type { MissingAuthority } from '../../blocks/signature_gaps.ts';
import { packTransaction } from '../../blocks/transaction.ts';
import { requireTransactionSize, transactionSizeRefusals } from '../../blocks/transaction_size.ts';
import type { BalanceChange, OperationFee } from '../../blocks/transaction_check.ts';
import { speaksLineage, type EncodingOptions } from '../../codec/encoding_options.ts';
import { errorCodes, errorObject, refused, told } from '../../jsonrpc/envelope/errors.ts';
import type { Operation } from '../../operations/operation.ts';
import { accountName } from '../../values/account_name.ts';
import { asset, assetText, type Asset } from '../../values/asset.ts';
import { hash160 } from '../../values/hash.ts';
import { publicKey } from '../../values/public_key.ts';
import { waitingRefusals } from '../broadcast_refusals.ts';
import { longTexts } from '../../operations/index.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { sampleTransaction } from '../sample_transaction.ts';
import { givenTransaction } from '../transactions.ts';

/** As many as people read; writing a key as text takes ten microseconds. */
const AUTHORITIES_SHOWN = 20;
const MEMBERS_SHOWN = 10;

const u32 = Type.Integer({ minimum: 0, maximum: 0xffff_ffff });

const fee = Type.Object({
  operation: Type.String(),
  payer: coded(accountName),
  required: coded(asset, { description: 'the least that has to be offered' }),
  charged: Type.Optional(
    coded(asset, { description: 'what the payer would be charged; absent when the transaction would be refused' }),
  ),
});

const missingAuthority = Type.Object({
  account: coded(accountName, { description: 'empty for an authority that an operation spells out' }),
  role: Type.String({
    enum: ['active', 'owner', 'other'],
    description: 'where active is missing, the owner authority would do as well',
  }),
  weight: Type.Integer({ description: 'what the signatures have of weight_threshold' }),
  weight_threshold: u32,
  keys: Type.Array(Type.Object({ key: coded(publicKey), weight: u32 }), { maxItems: MEMBERS_SHOWN }),
  accounts: Type.Array(Type.Object({ account: coded(accountName), weight: u32 }), { maxItems: MEMBERS_SHOWN }),
});

const refusalOrNull = Type.Union([
  Type.Null(),
  Type.Object({ code: Type.Integer(), message: Type.String(), data: Type.Record(Type.String(), Type.Unknown()) }),
]);

const balance = Type.Object({
  account: coded(accountName),
  before: coded(asset),
  after: coded(asset),
  change: Type.String({ description: 'an amount with its sign' }),
});

const warning = Type.Object({
  account: coded(accountName),
  role: Type.String({ enum: ['active', 'owner'] }),
  problem: Type.String({
    enum: [
      'circle',
      'empty',
      'open',
      'too_deep',
      'too_many_accounts',
      'unknown_account',
      'unusable_members',
      'weights_too_small',
    ],
    description:
      'open: anybody could act; too_deep: through more accounts than the chain follows; too_many_accounts: a check would look at more accounts than it may',
  }),
  impossible: Type.Boolean({ description: 'whether no set of signatures satisfies it' }),
  path: Type.Array(coded(accountName), { description: 'the accounts that lead to the problem' }),
  message: Type.String(),
});

/** Tries a transaction on the pending state and sends nothing. */
export const checkTransaction = method({
  name: 'alexandria_api.check_transaction',
  doc: 'What a transaction would do if it were sent now, signed or not: fees and who pays them, missing and superfluous signatures, what it would be refused for (the error that sending it would have) as it is and once it is signed, how balances would change, what is pending included, and which of the authorities that it sets nothing can satisfy. Nothing of it is kept or sent.',
  params: { tx: coded(givenTransaction) },
  result: Type.Object({
    check: Type.Object({
      transaction_id: coded(hash160),
      fees: Type.Array(fee, { description: 'of each operation, in order' }),
      missing_signatures: Type.Array(missingAuthority, { maxItems: AUTHORITIES_SHOWN }),
      superfluous_signatures: Type.Array(coded(publicKey)),
      refusal: refusalOrNull,
      refusal_when_signed: refusalOrNull,
      balances: Type.Array(balance, { description: 'none when it would be refused even if it were signed' }),
      warnings: Type.Array(warning, {
        maxItems: AUTHORITIES_SHOWN,
        description:
          'of authorities that it sets: those that nothing can satisfy, that go in a circle, or that ask for nothing',
      }),
    }),
  }),
  example: { params: { tx: sampleTransaction } },
  stability: 'stable',
  refuses: { ...transactionSizeRefusals, ...longTexts },
  // Two other threads, and the work of a transaction; each signature is recovered.
  weight: { call: 10, item: 1 },
  thread: 'verifier',
  changes: false,

  async handler({ tx }, { verifiers, parameters, encoding }) {
    const { packed, id } = packTransaction(tx);
    // Larger ones can't be sent, and each signature costs a verifier 50 µs.
    requireTransactionSize(packed, parameters);
    const { fees, missing, superfluous, refusal, refusalWhenSigned, balances, warnings } =
      await verifiers.checkTransaction(tx);
    return {
      check: {
        transaction_id: id,
        fees: fees.map((one, k) => shownFee(tx.operations[k], one)),
        missing_signatures: missing.slice(0, AUTHORITIES_SHOWN).map(shownMissing),
        superfluous_signatures: [...superfluous],
        refusal: shownRefusal(refusal, encoding),
        refusal_when_signed: shownRefusal(refusalWhenSigned, encoding),
        balances: balances.map(withChange),
        warnings: warnings.slice(0, AUTHORITIES_SHOWN).map(shownWarning),
      },
    };
  },
});

function shownFee(
  operation: Operation | undefined,
  { payer, required, charged }: OperationFee,
): { operation: string; payer: string; required: Asset; charged?: Asset } {
  const shown = { operation: operation?.kind.name ?? '', payer, required };
  return charged === undefined ? shown : { ...shown, charged };
}

function shownMissing({
  account,
  role,
  weight,
  authority: { weight_threshold, key_auths, account_auths },
}: MissingAuthority): {
  account: string;
  role: string;
  weight: number;
  weight_threshold: number;
  keys: { key: string; weight: number }[];
  accounts: { account: string; weight: number }[];
} {
  return {
    account,
    role,
    weight,
    weight_threshold,
    keys: key_auths.slice(0, MEMBERS_SHOWN).map(([key, its]) => ({ key, weight: its })),
    accounts: account_auths.slice(0, MEMBERS_SHOWN).map(([name, its]) => ({ account: name, weight: its })),
  };
}

/** The error object that `broadcast_transaction` of this group answers with. */
function shownRefusal(refusal: Refusal | undefined, encoding: EncodingOptions): ReturnType<typeof errorObject> | null {
  if (refusal === undefined) return null;
  const code = Object.hasOwn(waitingRefusals, refusal.code) ? errorCodes.refusedByMethod : errorCodes.refusedByChain;
  return errorObject(told(refused(refusal, code), speaksLineage(encoding)));
}

function shownWarning({ account, role, problem, isImpossible, path, text }: AuthorityWarning): {
  account: string;
  role: string;
  problem: string;
  impossible: boolean;
  path: string[];
  message: string;
} {
  return { account, role, problem, impossible: isImpossible, path: [...path], message: text };
}

function withChange({ account, before, after }: BalanceChange): BalanceChange & { change: string } {
  const amount = after.amount - before.amount;
  // Assets are written as the lineage does, without a sign.
  const sign = amount < 0n ? '-' : '';
  return {
    account,
    before,
    after,
    change: `${sign}${assetText({ ...after, amount: amount < 0n ? -amount : amount })}`,
  };
}
