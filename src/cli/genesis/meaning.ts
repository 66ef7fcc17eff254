import { quorumOfCount } from '../../blocks/finality/voters.ts';
import { coins, INIT_MINER_ACCOUNT, IRREVERSIBLE_THRESHOLD, shownCoins, shownVests } from '../../state/parameters.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { genesisPools, initialSupply } from '../../state/sound_genesis.ts';
import { shownAsset } from '../../values/asset.ts';
import { NEVER } from '../../values/limits.ts';
import { NULL_KEY, publicKeyText } from '../../values/public_key.ts';
import { timeText } from '../../values/time.ts';
import { usualParticipation } from '../../witness/required_participation.ts';
import { listHolders, oddities } from './oddities.ts';
import { shownPercent, shownSpan } from './units.ts';

/** One subject of a genesis, explained in sentences. */
interface MeaningSection {
  readonly title: string;
  readonly lines: readonly string[];
}

const WHOLE = 10_000; // hundredths of a percent
/** Holders that are named; the others are counted. */
const NAMED_HOLDERS = 10;

/** Explains a genesis to holders of its coins and to operators of its nodes. `odd` comes last, where something is. */
export function genesisMeaning(parameters: ChainParameters): readonly MeaningSection[] {
  const odd = oddities(parameters);
  return [
    { title: 'Chain', lines: chainLines(parameters) },
    { title: 'Coins', lines: coinLines(parameters) },
    { title: 'Accounts', lines: accountLines(parameters) },
    { title: 'Witnesses', lines: witnessLines(parameters) },
    { title: 'Irreversibility', lines: irreversibilityLines(parameters) },
    { title: 'Vesting', lines: vestingLines(parameters) },
    { title: 'Sizes and fees', lines: sizeLines(parameters) },
    { title: 'Odd', lines: odd.length === 0 ? ['Nothing.'] : odd },
  ];
}

/** The same as text, a sentence a line. */
export function meaningText(parameters: ChainParameters): string {
  return genesisMeaning(parameters)
    .map(({ title, lines }) => `${title}\n${lines.map((line) => `  ${line}\n`).join('')}`)
    .join('');
}

function chainLines({ genesis, chainId, ruleSet, profile, isPrivateNet, fork }: ChainParameters): string[] {
  const name = genesis.name === '' ? 'It has no name' : `Its name is ${JSON.stringify(genesis.name)}`;
  return [
    `${name}, its id ${chainId}.`,
    `Profile ${profile.name}, rule set ${ruleSet}.`,
    `Slots begin at ${timeText(genesis.genesis_time)} UTC, one every ${shownSpan(genesis.block_interval)}.`,
    ...(isPrivateNet ? ['A private net: no operation moves coins or votes, and initminer appoints witnesses.'] : []),
    ...genesis.hardfork_blocks.map((each) => `Block ${each.block} applies hardfork ${each.name}, without votes.`),
    ...(fork === undefined
      ? []
      : [`It begins with the state of chain ${fork.chain_id} at block ${fork.block_number}.`]),
  ];
}

function coinLines(parameters: ChainParameters): string[] {
  const { genesis, rules } = parameters;
  const held = initialSupply(genesis);
  const { mining, interest, promotion } = genesisPools(genesis, rules);
  const shown = (amount: bigint): string => shownCoins(parameters, amount);
  const toCome = genesis.total_supply - held;
  return [
    `Supply ${shown(genesis.total_supply)}: ${shown(held)} are there at the beginning, ${shown(toCome)} come later.`,
    ...(toCome === 0n
      ? ['No coins come later: witnesses are paid by fees alone.']
      : [
          `Of those to come, witnesses get ${shown(mining)}, accounts ${shown(interest)} as interest, the promotion pool ${shown(promotion)}.`,
          ...coinbaseLines(parameters, mining),
        ]),
  ];
}

/** Rewards begin after a day of blocks; each block pays the same, the last one the rest. */
function coinbaseLines(parameters: ChainParameters, mining: bigint): string[] {
  const last = lastCoinbaseBlock(parameters);
  if (last === undefined) return [];
  const { genesis, coinbaseBlocks, interestDelayBlocks, blockIntervalSeconds } = parameters;
  const seconds = genesis.genesis_time + last * blockIntervalSeconds;
  const when =
    seconds < NEVER ? `${timeText(seconds)} UTC if no slot is missed` : `after ${timeText(NEVER)} UTC, when time ends`;
  const each = shownCoins(parameters, mining / BigInt(coinbaseBlocks));
  return [
    `Each block from ${interestDelayBlocks + 1} on pays its witness ${each}. The last block of the coinbase is ${last}: ${when}.`,
  ];
}

/** The block that pays the last coins to come to a witness; undefined where no block pays any. */
export function lastCoinbaseBlock({
  genesis,
  rules,
  coinbaseBlocks,
  interestDelayBlocks,
}: ChainParameters): number | undefined {
  const { mining } = genesisPools(genesis, rules);
  const each = mining / BigInt(coinbaseBlocks);
  return each === 0n ? undefined : interestDelayBlocks + Number((mining + each - 1n) / each);
}

function accountLines(parameters: ChainParameters): string[] {
  const { genesis } = parameters;
  const held = initialSupply(genesis);
  const holders = listHolders(genesis).toSorted((a, b) => (a.balance > b.balance ? -1 : a.balance < b.balance ? 1 : 0));
  const named = holders.slice(0, NAMED_HOLDERS).filter(({ balance }) => balance > 0n);
  const rest = holders.slice(named.length);
  const sum = rest.reduce((total, { balance }) => total + balance, 0n);
  const share = (balance: bigint): string =>
    held === 0n ? '' : `, ${shownPercent(Number((balance * BigInt(WHOLE)) / held))}`;
  const line = (what: string, balance: bigint): string => `${what} ${shownCoins(parameters, balance)}${share(balance)}`;
  return [
    `${genesis.initial_accounts.length} accounts besides ${INIT_MINER_ACCOUNT}, whose key can recover and reset them.`,
    ...named.map(({ name, balance }) => line(name, balance)),
    ...(rest.length === 0 ? [] : [line(`${rest.length} others`, sum)]),
  ];
}

function witnessLines(parameters: ChainParameters): string[] {
  const { genesis, isPrivateNet, initialSigningKey, profile } = parameters;
  const { max_witnesses: places, max_voted_witnesses: voted } = genesis;
  const key = initialSigningKey === NULL_KEY ? 'no key' : publicKeyText(initialSigningKey, profile.keyPrefix);
  return [
    `${INIT_MINER_ACCOUNT} makes the first blocks, signed with ${key}.`,
    `A round has ${places} ${places === 1 ? 'place' : 'places'}: ${voted} for the witnesses with the most votes, ${places - voted} in turn.`,
    ...(isPrivateNet ? [] : [stakeLine(parameters)]),
    aliveLine(parameters),
    isPrivateNet
      ? 'A hardfork becomes active when more than half of a round vote for it.'
      : `A hardfork becomes active by the votes of ${genesis.hardfork_req_witnesses} of the ${places}.`,
  ];
}

function stakeLine(parameters: ChainParameters): string {
  const {
    initial_witness_req_vesting_balance: first,
    final_witness_req_vesting_balance: later,
    witness_vesting_increase_days: days,
  } = parameters.genesis;
  const more = later === first ? '' : `, and ${shownVests(parameters, later)} from day ${days} on`;
  return `An account becomes a witness with ${shownVests(parameters, first)}${more}.`;
}

/**
 * Tells how many live witnesses blocks need. One makes some, but by default it stops where too few slots are filled.
 */
function aliveLine({ genesis, isPrivateNet, hasFinality, confirmationsFromBlock }: ChainParameters): string {
  const { max_witnesses: places } = genesis;
  if (isPrivateNet) return 'Blocks are made as long as one witness lives.';
  const percent = usualParticipation(confirmationsFromBlock > 1 && !hasFinality) / 100;
  const alive = Math.ceil((places * percent) / 100);
  return `Blocks are made while ${percent} % of the slots are filled: in a full round ${alive} of ${places} witnesses must live.`;
}

function irreversibilityLines({ genesis, hasFinality, confirmationsFromBlock }: ChainParameters): string[] {
  const { max_witnesses: places } = genesis;
  if (!hasFinality) {
    const needed = places - Math.trunc(((WHOLE - IRREVERSIBLE_THRESHOLD) * places) / WHOLE);
    const before =
      confirmationsFromBlock > 1
        ? [`Before block ${confirmationsFromBlock} a block is irreversible ${places} blocks later.`]
        : [];
    return [
      ...before,
      `A block is irreversible when three quarters of a round have built on it: ${needed} of ${places}.`,
    ];
  }
  const fewer = Array.from({ length: Math.min(places, 7) - 1 }, (_, k) => `${quorumOfCount(k + 1)} of ${k + 1}`);
  return [
    `Votes make a block irreversible, usually before the next slot: in a full round ${quorumOfCount(places)} of ${places} witnesses must live.`,
    failureLine(places),
    ...(fewer.length === 0 ? [] : [`While the round has fewer witnesses: ${fewer.join(', ')}.`]),
  ];
}

function failureLine(places: number): string {
  const may = places - quorumOfCount(places);
  return may === 0
    ? `No failure is tolerated: without one of the ${places} no block becomes irreversible.`
    : `${may} may fail at once.`;
}

function vestingLines(parameters: ChainParameters): string[] {
  const { genesis, rules, withdrawIntervals, withdrawIntervalSeconds, isPrivateNet } = parameters;
  if (isPrivateNet) return ['Nothing vests.'];
  const { minimum_vesting_seconds: lock, dilution_protection_percent: percent } = genesis;
  return [
    withdrawIntervals === 1
      ? `A withdrawal is paid at once, after ${shownSpan(withdrawIntervalSeconds)}.`
      : `A withdrawal has ${withdrawIntervals} instalments, ${shownSpan(withdrawIntervalSeconds)} apart.`,
    rules.minimum_vesting && lock > 0
      ? `What was vested is locked for ${shownSpan(lock)}.`
      : 'What was vested is not locked.',
    rules.dilution_protection && percent > 0
      ? `Vesting shares are protected against dilution until ${percent} % of the coin is vesting.`
      : 'Vesting shares are not protected against dilution.',
  ];
}

function sizeLines(parameters: ChainParameters): string[] {
  const { genesis, maxTransactionBytes, maxBlockBytes, minAccountCreationFee, isPrivateNet } = parameters;
  const fees = isPrivateNet
    ? 'Operations cost nothing.'
    : `Most operations cost ${shownAsset(coins(parameters, BigInt(genesis.base_fee)))}, a new account ${shownCoins(parameters, minAccountCreationFee)}; ${shownPercent(genesis.burn_fee_percentage)} of a fee is burned.`;
  return [`A transaction has at most ${maxTransactionBytes} bytes, a block ${maxBlockBytes}.`, fees];
}
