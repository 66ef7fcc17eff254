import { assert } from '../../src/base/assert.ts';
import { Refusal } from '../../src/base/refusal.ts';
import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { devAccounts } from '../../src/dev_chain/dev_genesis.ts';
import { accountUpdate } from '../../src/operations/account_update.ts';
import { accountWitnessVote } from '../../src/operations/account_witness_vote.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';
import { compareNames, nameFromSeed, type AccountName } from '../../src/values/account_name.ts';
import type { Authority } from '../../src/values/authority.ts';
import { NULL_KEY, type PublicKey } from '../../src/values/public_key.ts';
import { amountRow, type BenchOptions, type Row } from '../bench.ts';
import { DevChain } from '../dev_chain.ts';

/** Nobody's transaction may hold the writer longer. */
const LONGEST_MS = 20;
/** As many as an authority in a transaction of 8 KiB can hold: of 27 characters, and of 33 bytes. */
const MOST_NAMES = 262;
const MOST_KEYS = 225;
/** As many as a node takes upon itself for a client of a chain without a limit (chain/apply/apply_transaction.ts). */
const MOST_VISITS = 300;
const ROUNDS = 20;
const HEAVIEST = 65_535;
const OUT_OF_REACH = HEAVIEST * (MOST_NAMES + 1);

/** Measures the writer at the dearest checks of authorities: accounts by the hundred that name each other. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const rows: Row[] = [];
  for (const rules of ['interface', 'lineage'] as const) {
    for (const construction of constructions) rows.push(...(await measureRows(rules, construction, quick)));
  }
  return rows;
}

async function measureRows(rules: RuleSet, { what, names, build }: Construction, quick: boolean): Promise<Row[]> {
  const accounts = makeNames(quick ? 12 : names);
  const dev = await DevChain.open({ durable: false, rules, accounts });
  dev.seal();
  const { authorities, askers, signers = [] } = build(accounts);
  for (const [account, active] of authorities) setActive(dev, account, active);
  const transaction = dev.signedBy(
    askers.map((account) => makeVote(dev, account)),
    signers,
  );
  const plain = dev.transfers(1).at(0);
  const opened = (): Chain => {
    const chain = dev.reopened();
    // Somebody else's transaction begins the block.
    if (plain !== undefined) chain.accept(plain);
    return chain;
  };
  const cold = Array.from({ length: quick ? 1 : ROUNDS }, () => timeRefusal(opened(), transaction));
  const again = opened();
  const warm = Array.from({ length: quick ? 1 : ROUNDS + 1 }, () => timeRefusal(again, transaction));
  await dev.close();
  const counted = `transaction of ${transaction.packed.length} bytes, refused as ${cold[0]?.code}`;
  const name = `${rules}: ${what}`;
  const line = (note: string, costs: readonly { readonly ms: number }[], more: Partial<Pick<Row, 'budget'>>): Row =>
    amountRow(name, counted, { value: Math.min(...costs.map(({ ms }) => ms)), unit: 'ms' }, { note, ...more });
  const budget = { atMost: LONGEST_MS };
  // What takes longer the first time stays in memory: to repeat it takes as many other accounts as the writer keeps
  // rows.
  return [
    line('no row in memory', cold, rules === 'lineage' ? {} : { budget }),
    line('all rows in memory', warm, { budget }),
  ];
}

/** The rows before the transaction, and the account whose active authority it asks for. */
interface World {
  readonly authorities: Iterable<readonly [AccountName, Authority]>;
  readonly askers: readonly AccountName[];
  readonly signers?: readonly PublicKey[];
}

interface Construction {
  readonly what: string;
  readonly names: number;
  readonly build: (names: readonly AccountName[]) => World;
}

const constructions: readonly Construction[] = [
  {
    what: 'accounts that all name each other',
    names: MOST_NAMES,
    build: (names) => ({
      authorities: names.map((name) => [name, naming(OUT_OF_REACH, names)]),
      askers: names.slice(0, 1),
    }),
  },
  {
    what: 'the same, and many ask for them who need nobody',
    names: MOST_VISITS,
    build: (names) => {
      const [askers, others] = splitNames(names, Math.trunc(names.length / 2.5));
      const last = others.slice(0, 1);
      return {
        authorities: [
          ...askers.map((name) => [name, naming(0, others)] as const),
          ...others.map((name) => [name, naming(OUT_OF_REACH, others)] as const),
        ],
        askers: [...askers.slice(1), ...last],
      };
    },
  },
  {
    what: 'each is approved after the one behind it, in a walk of its own',
    names: MOST_VISITS,
    build: (names) => {
      const [askers, others] = splitNames(names, Math.trunc(names.length / 2.5));
      const behind = (index: number): Authority =>
        naming(HEAVIEST, others, (other) => (other === others[index + 1] ? HEAVIEST : 0));
      const open = { weight_threshold: 0, account_auths: [], key_auths: [] };
      return {
        authorities: [
          // The last asker needs all of them, so the transaction is refused.
          ...askers.map(
            (name, index) => [name, naming(index === askers.length - 1 ? OUT_OF_REACH : 0, others, () => 0)] as const,
          ),
          ...others.map((name, index) => [name, index === others.length - 1 ? open : behind(index)] as const),
        ],
        askers,
      };
    },
  },
  {
    what: 'accounts of 225 keys, and 60 signatures',
    names: MOST_NAMES,
    build: (names) => {
      const [first = '', ...others] = names;
      const signers = Array.from({ length: 60 }, (_, index) => key(index));
      const keys = Array.from({ length: MOST_KEYS }, (_, index): [PublicKey, number] => [key(index), 1]);
      return {
        authorities: [
          [first, naming(OUT_OF_REACH, others)],
          ...others.map(
            (name) => [name, { weight_threshold: OUT_OF_REACH, account_auths: [], key_auths: keys }] as const,
          ),
        ],
        askers: [first],
        signers,
      };
    },
  },
];

/** Those who ask, each by an operation of some 60 bytes, and those who are named. */
function splitNames(names: readonly AccountName[], count: number): [AccountName[], AccountName[]] {
  return [names.slice(0, count), names.slice(count)];
}

function makeNames(count: number): AccountName[] {
  return Array.from({ length: count }, (_, index) => nameFromSeed(`account ${index}`)).sort(compareNames);
}

function key(index: number): PublicKey {
  return `02${index.toString(16).padStart(64, '0')}`;
}

function naming(
  weight_threshold: number,
  names: readonly AccountName[],
  weightOf: (name: AccountName) => number = () => 1,
): Authority {
  const account_auths = names.slice(0, MOST_NAMES).map((name): [AccountName, number] => [name, weightOf(name)]);
  return { weight_threshold, account_auths, key_auths: [] };
}

/** By the owner's key, which all of them have from the first development account. */
function setActive(dev: DevChain, account: AccountName, active: Authority): void {
  const fee = { amount: 10_000n, symbol: dev.parameters.coinSymbol };
  const update = accountUpdate.of({ fee, account, owner: undefined, active, memo_key: NULL_KEY, json_metadata: '' });
  dev.chain.accept(dev.verified(update, devAccounts[0]));
  dev.seal();
}

function makeVote(dev: DevChain, account: AccountName): ReturnType<typeof accountWitnessVote.of> {
  return accountWitnessVote.of({
    fee: { amount: 10_000n, symbol: dev.parameters.coinSymbol },
    account,
    witness: 'initminer',
    approve: true,
  });
}

function timeRefusal(chain: Chain, transaction: VerifiedTransaction): { readonly ms: number; readonly code: string } {
  const before = process.cpuUsage();
  let code = 'accepted';
  try {
    chain.accept(transaction);
  } catch (error) {
    assert(error instanceof Refusal, 'a refusal');
    ({ code } = error);
  }
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1000, code };
}
