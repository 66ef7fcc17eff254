import { quorumOfCount } from '../../blocks/finality/voters.ts';
import { deriveDevKey } from '../../dev_chain/dev_genesis.ts';
import type { Genesis } from '../../state/genesis_file.ts';
import { INIT_MINER_ACCOUNT, shownCoins, shownVests, type ChainParameters } from '../../state/parameters.ts';
import { genesisPools, initialSupply } from '../../state/sound_genesis.ts';
import { DEVELOPMENT_SIGNING_KEY } from '../../values/profile.ts';
import { NULL_KEY } from '../../values/public_key.ts';

/** A place where a genesis is hardly what its author meant; undefined where it is not so. */
type Oddity = (parameters: ChainParameters) => string | undefined;

/** Everybody who may hold coins at the beginning. */
export function listHolders({ initial_balace: balance, initial_accounts }: Genesis): {
  readonly name: string;
  readonly balance: bigint;
}[] {
  return [{ name: INIT_MINER_ACCOUNT, balance }, ...initial_accounts];
}

/** Computing a key takes a while, and a chain whose first accounts have keys of their own is none for development. */
const CHECKED_KEYS = 20;
/** Fewer than these transactions of the largest size in a block. */
const FEW_TRANSACTIONS = 4;

const all: readonly Oddity[] = [
  ({ hardforkBlocks, impersonator }) =>
    hardforkBlocks.size > 0 && impersonator === undefined
      ? 'hardfork_blocks: hardforks become active with these blocks, whatever witnesses vote for; only a development chain has them.'
      : undefined,
  ({ impersonator }) =>
    impersonator && 'impersonator: whoever has this key acts for every account; only a development chain has one.',
  ({ initialSigningKey }) =>
    initialSigningKey === DEVELOPMENT_SIGNING_KEY
      ? 'initial_signing_key: everybody knows its secret, so anybody can make the first blocks; name a key of your own.'
      : undefined,
  ({ genesis }) =>
    genesis.initial_public_key === DEVELOPMENT_SIGNING_KEY
      ? `initial_public_key: everybody knows its secret, so anybody can act for ${INIT_MINER_ACCOUNT}; name a key of your own.`
      : undefined,
  ({ genesis }) => {
    const known = genesis.initial_accounts.slice(0, CHECKED_KEYS).filter(({ name, key }) => key === deriveDevKey(name));
    return known.length === 0
      ? undefined
      : `initial_accounts: the key of ${known[0]?.name} is that of a development chain, which everybody knows.`;
  },
  ({ genesis }) => {
    const keyless = genesis.initial_accounts.find(({ key }) => key === NULL_KEY);
    return keyless && `initial_accounts: ${keyless.name} has the null key, so it belongs to ${INIT_MINER_ACCOUNT}.`;
  },
  ({ genesis }) => {
    const keys = new Map<string, string>([[genesis.initial_public_key, INIT_MINER_ACCOUNT]]);
    for (const { name, key } of genesis.initial_accounts) {
      const other = keys.get(key);
      if (other !== undefined && key !== NULL_KEY) return `initial_accounts: ${name} and ${other} have one key.`;
      keys.set(key, name);
    }
    return undefined;
  },
  ({ genesis, isPrivateNet }) =>
    initialSupply(genesis) === 0n && !isPrivateNet
      ? 'initial_accounts: nobody holds a coin, so nobody can pay a fee, vest or vote.'
      : undefined,
  majorityHolder,
  ({ genesis, isPrivateNet }) => {
    const { hardfork_req_witnesses: required, max_witnesses: places } = genesis;
    const quorum = quorumOfCount(places);
    if (isPrivateNet) return undefined;
    if (required > places)
      return `hardfork_req_witnesses: ${required} of ${places} can never agree, so no hardfork becomes active.`;
    return required < quorum
      ? `hardfork_req_witnesses: ${required} of ${places} activate a hardfork, but ${quorum} are needed to go on; an activation by ${required} would stop the chain.`
      : undefined;
  },
  ({ genesis: { max_witnesses: places, max_voted_witnesses: voted, max_runner_witnesses: runners } }) =>
    voted + runners === places
      ? undefined
      : `max_runner_witnesses: methods show ${runners}, and ${places - voted} places go in turn.`,
  ({ genesis: { max_voted_witnesses: voted } }) =>
    voted === 0 ? 'max_voted_witnesses: no witness is chosen by votes, so votes mean nothing.' : undefined,
  ({ genesis: { max_account_witness_votes: votes } }) =>
    votes === 0 ? 'max_account_witness_votes: nobody can vote for a witness.' : undefined,
  unreachableStake,
  ({ genesis, hasFinality }) =>
    hasFinality && genesis.max_witnesses <= 3
      ? `max_witnesses: with ${genesis.max_witnesses} no failure is tolerated; four tolerate one.`
      : undefined,
  ({ genesis, hasFinality }) =>
    genesis.finality === undefined && hasFinality
      ? 'finality: nothing says whether votes make blocks final, so they do; programs whose data has format 4 or less took it for no.'
      : undefined,
  ({ genesis, hasFinality }) =>
    genesis.confirmations_from_block > 1 && !hasFinality
      ? `confirmations_from_block: before block ${genesis.confirmations_from_block} one witness that signs both sides of a split makes both irreversible.`
      : undefined,
  ({ genesis, rules, coinbaseBlocks, isPrivateNet }) =>
    !isPrivateNet &&
    genesis.total_supply > initialSupply(genesis) &&
    genesisPools(genesis, rules).mining < BigInt(coinbaseBlocks)
      ? 'mining_pool_percentage: the reward of a block rounds to 0, so witnesses get none of the coins to come.'
      : undefined,
  ({ maxBlockBytes, maxTransactionBytes, minBlockSizeLimit }) =>
    maxBlockBytes < FEW_TRANSACTIONS * maxTransactionBytes || maxBlockBytes < minBlockSizeLimit
      ? `max_block_size: a block has at most ${maxBlockBytes} bytes, a transaction ${maxTransactionBytes}; witnesses must vote for at least ${minBlockSizeLimit}.`
      : undefined,
  ({ genesis, isPrivateNet }) =>
    !isPrivateNet && genesis.base_fee === 0
      ? 'base_fee: operations cost nothing, so nothing stops a flood of them.'
      : undefined,
  ({ ruleSet, profile }) =>
    ruleSet === 'lineage' && profile.rules !== 'lineage'
      ? 'rules: the rule set lineage is for chains of the C++ node; it lacks what later rules mend.'
      : undefined,
];

/** Lists odd rules of a genesis, a sentence each; each begins with the member to look at. */
export function oddities(parameters: ChainParameters): readonly string[] {
  return all.flatMap((oddity) => oddity(parameters) ?? []);
}

function majorityHolder(parameters: ChainParameters): string | undefined {
  const { genesis } = parameters;
  const held = initialSupply(genesis);
  const major = listHolders(genesis).find(({ balance }) => 2n * balance > held);
  return (
    major &&
    `initial_accounts: ${major.name} holds ${shownCoins(parameters, major.balance)}, more than half, and so decides who makes blocks.`
  );
}

/** Rewards go to witnesses alone, so nobody could ever vest what becoming one takes. */
function unreachableStake(parameters: ChainParameters): string | undefined {
  const { genesis, isPrivateNet } = parameters;
  const stake = genesis.initial_witness_req_vesting_balance;
  const most = listHolders(genesis).reduce((largest, { balance }) => (balance > largest ? balance : largest), 0n);
  return !isPrivateNet && stake > most
    ? `initial_witness_req_vesting_balance: a witness needs ${shownVests(parameters, stake)}, more than any account holds.`
    : undefined;
}
