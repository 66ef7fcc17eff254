import { assert } from '../../src/base/assert.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';
import { RandomSource } from '../../test/builders/random_source.ts';
import { amountRow, type BenchOptions, type Row } from '../bench.ts';
import { blockScenarios } from '../dearest/blocks.ts';
import { climb } from '../dearest/climb.ts';
import { measureCost, PlainTransfer, type Cost } from '../dearest/cost.ts';
import { kindScenarios } from '../dearest/kinds.ts';
import { posts, measureVerifierMs } from '../dearest/posts.ts';
import { sideBlocks, sideBlockMs } from '../dearest/side_blocks.ts';
import type { Scenario } from '../dearest/scenario.ts';
import { voteScenarios } from '../dearest/votes.ts';
import { DevChain } from '../dev_chain.ts';

/**
 * No transaction may hold the writer longer, and no kind of what a block does besides: 20 ms of a machine on which a
 * plain transfer costs it 7.1 µs (bench/README.md). Counted in transfers of the same run, because neighbours make both
 * dearer.
 */
const MOST_TRANSFERS = 2800;
const QUIET_MS = 20 / MOST_TRANSFERS;
/** A search that was long enough to come from nothing to the heights that the dials begin with. */
const STEPS = 4;
const TIMES = 3;
/** Above this multiple of its limit a scenario is not measured again: a slow one is slow in every round. */
const MOST_TIMES = 12;
const SEED = 11;

const scenarios = [...voteScenarios, ...kindScenarios, ...blockScenarios];

/**
 * The dearest transaction and the dearest block of each kind, searched from the dearest that is known; fails above the
 * budget.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const plain = await PlainTransfer.open();
  const rows: Row[] = [];
  const tooDear: string[] = [];
  for (const rules of ['interface', 'lineage'] as const) {
    for (const scenario of scenarios.filter(({ rules: some = [rules] }) => some.includes(rules))) {
      plain.begin();
      const found = await findDearest(scenario, rules, plain, quick);
      assert(isFair(found), `${found.row.name}: ${found.row.counted}`);
      rows.push(found.row);
      if (found.transfers > MOST_TRANSFERS && isBound(scenario, rules))
        tooDear.push(`${found.row.name}: ${found.transfers} plain transfers`);
    }
  }
  for (const side of sideBlocks) {
    plain.begin();
    const { ms, bytes } = sideBlockMs(side, {
      least: quick ? 1 : TIMES,
      most: MOST_TIMES,
      enough: MOST_TRANSFERS,
      plain,
    });
    const transfers = Math.round(ms / plain.ms);
    rows.push(sideRow(side.what, bytes, transfers));
    if (transfers > MOST_TRANSFERS) tooDear.push(`${side.what}: ${transfers} plain transfers`);
  }
  await plain.close();
  rows.push(...(await verifierRows(quick)));
  // The full form says it in its table.
  if (quick && tooDear.length > 0)
    throw new Error(`dearer than ${MOST_TRANSFERS} plain transfers: ${tooDear.join('; ')}`);
  return rows;
}

function sideRow(what: string, bytes: number, transfers: number): Row {
  return amountRow(
    `side block: ${what}`,
    `last of four blocks of ${bytes} bytes on a branch, judged and kept, its signers known`,
    { value: transfers * QUIET_MS, unit: 'ms' },
    { budget: { atMost: MOST_TRANSFERS * QUIET_MS }, note: `as much as ${transfers} plain transfers of the same run` },
  );
}

/** A scenario that has come to be refused for another reason would show nothing. */
function isFair({ cost: { outcome } }: Found): boolean {
  return [
    'accepted',
    'too_many_votes_moved',
    'too_many_voters_moved',
    'authorities_too_large',
    'too_many_accounts_visited',
  ].includes(outcome);
}

/** The lineage does all that is due within one block, so such a scenario is only shown. */
function isBound({ of, isShownOnly = false }: Scenario, rules: RuleSet): boolean {
  return !isShownOnly && (of === 'transaction' || rules === 'interface');
}

interface Found {
  readonly row: Row;
  /** The cost in plain transfers. */
  readonly transfers: number;
  readonly cost: Cost;
}

async function findDearest(scenario: Scenario, rules: RuleSet, plain: PlainTransfer, quick: boolean): Promise<Found> {
  const randomSource = new RandomSource(SEED);
  const least = quick ? 1 : TIMES;
  // What is only shown may be dear.
  const most = quick && !isBound(scenario, rules) ? least : MOST_TIMES;
  const { cost, at } = await climb(
    scenario.dials,
    quick ? 0 : STEPS,
    (below) => randomSource.roll(below),
    // Once is enough where it was cheap enough: whatever is slow is so every time.
    (dials) => measureCost(scenario, rules, dials, { least, most, enough: MOST_TRANSFERS, plain }),
  );
  const transfers = Math.round(cost.ms / plain.ms);
  const dials = Object.entries(at).map(([name, value]) => `${value} ${name}`);
  const counted = scenario.of === 'block' ? 'block without transactions' : transactionText(cost);
  const row = amountRow(
    `${rules}: ${scenario.what}`,
    `${counted}, applied, sealed and written, no row in memory`,
    { value: transfers * QUIET_MS, unit: 'ms' },
    {
      ...(isBound(scenario, rules) ? { budget: { atMost: MOST_TRANSFERS * QUIET_MS } } : {}),
      note: `as much as ${transfers} plain transfers of the same run${dials.length > 0 ? `; ${dials.join(', ')}` : ''}`,
    },
  );
  return { row, transfers, cost };
}

function transactionText({ bytes, operations, outcome }: Cost): string {
  return `transaction of ${bytes} bytes and ${operations} operations, ${outcome === 'accepted' ? outcome : `refused as ${outcome}`}`;
}

async function verifierRows(quick: boolean): Promise<Row[]> {
  const dev = await DevChain.open({ durable: false });
  dev.seal();
  const rows = posts.map((post) =>
    amountRow(
      `verifier: ${post.what}`,
      'post of one transaction, read, verified and packed, its memos tried as passwords',
      { value: measureVerifierMs(dev, post, quick ? 1 : 20), unit: 'ms' },
      { note: `${post.signers} signatures` },
    ),
  );
  await dev.close();
  return rows;
}
