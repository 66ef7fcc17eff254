import { present } from '../src/base/assert.ts';
import type { Json } from '../src/codec/json.ts';
import { devPublicKey } from '../src/dev_chain/dev_genesis.ts';
import type {
  ChainSource,
  GenesisBalance,
  SourceBlock,
  SourceChain,
  SourceEvent,
  SourceOperation,
} from '../src/sinks/chain_source.ts';
import { amountText } from '../src/sinks/postgres/copy_text.ts';
import { profiles } from '../src/values/profile.ts';
import { timeText, type Seconds } from '../src/values/time.ts';
import { RandomSource } from '../test/builders/random_source.ts';

/** Operations of a block, its reward included. */
export const OPERATIONS_OF_A_BLOCK = 10;
const ACCOUNTS = 100_000;
const WITNESSES = 21;
const APPLICATIONS = 200;
const INTERVAL = 3;
const GENESIS: Seconds = Date.UTC(2026, 0, 1) / 1000;
const DAY_BLOCKS = 86_400 / INTERVAL;
const INSTALMENTS = 27;
const BLOCKS_AT_ONCE = 1000;
const OUTSIDE = 0xffff_ffff;
const NOBODY = '0'.repeat(40);
const FEE = '0.010000 COIN';

interface Withdrawal {
  readonly account: string;
  readonly paid: number;
  readonly due: number;
}

/**
 * A chain of many accounts and days that nobody has produced: blocks as a node would tell them, always the same ones.
 * Six of ten operations are transfers, two are documents; alice and bob are in one of a hundred each, as an exchange
 * would be.
 */
export class GeneratedChain implements ChainSource {
  readonly #blocks: number;
  readonly #randomSource = new RandomSource(28);
  #number = 0;
  #previous = NOBODY;
  #time: Seconds = GENESIS;
  #transactions = 0;
  readonly problem = undefined;
  /** In the order in which they are due. */
  readonly #withdrawals: Withdrawal[] = [];

  constructor(blocks: number) {
    this.#blocks = blocks;
  }

  chain(): Promise<SourceChain> {
    return Promise.resolve({
      ...{
        chainId: '28'.repeat(32),
        coinSymbol: 'COIN',
        vestsSymbol: 'VESTS',
        keyPrefix: 'PHR',
        coinName: 'coin',
        isPrivateNet: false,
      },
      ...{ genesisTime: timeText(GENESIS), blockIntervalSeconds: INTERVAL },
      ...{
        vestingWithdrawIntervals: INSTALMENTS,
        vestingWithdrawIntervalSeconds: 86_400,
        vestingWithdrawRoundsUp: true,
      },
    });
  }

  genesisBalances(): Promise<readonly GenesisBalance[]> {
    const names = ['alice', 'bob', ...Array.from({ length: ACCOUNTS }, (_, k) => userName(k)), ...witnessNames];
    return Promise.resolve(names.map((name) => ({ name, balance: '1000000.000000 COIN' })));
  }

  mayRevert(): Promise<boolean> {
    return Promise.resolve(false);
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  next(): Promise<readonly SourceEvent[]> {
    const events: SourceEvent[] = [];
    while (this.#number < this.#blocks && events.length < BLOCKS_AT_ONCE) {
      const block = this.#block();
      events.push({ block, position: String(block.number) });
    }
    return Promise.resolve(events);
  }

  get head(): number {
    return this.#blocks;
  }

  interrupt(): void {
    // Its database is of the bench's own.
  }

  close(): void {
    this.#number = this.#blocks;
  }

  #block(): SourceBlock {
    const number = ++this.#number;
    const before = timeText(this.#time);
    const missed = this.#randomSource.chance(1) ? 1 + this.#randomSource.roll(3) : 0;
    this.#time += INTERVAL * (1 + missed);
    const operations: SourceOperation[] = [];
    const count = number === 1 ? WITNESSES : OPERATIONS_OF_A_BLOCK - 1;
    for (let k = 0; k < count; k++) {
      const [kind, body] = number === 1 ? appointment(k) : this.#operation(number);
      const trx_id = (++this.#transactions).toString(16).padStart(40, 'a');
      const place = { trx_id, trx_in_block: k, op_in_trx: 0, virtual_op: 0, timestamp: before };
      operations.push({ ...place, kind, body, fee_payer: findPayer(body) });
    }
    const witness = witnessNames[number % WITNESSES] ?? '';
    for (const [kind, body] of this.#own(number, witness)) {
      const virtual_op = operations.length - count + 1;
      const place = {
        trx_id: NOBODY,
        trx_in_block: OUTSIDE,
        op_in_trx: 0,
        virtual_op,
        timestamp: timeText(this.#time),
      };
      operations.push({ ...place, kind, body, fee_payer: '' });
    }
    const id =
      number.toString(16).padStart(8, '0') +
      this.#randomSource
        .roll(2 ** 32)
        .toString(16)
        .padStart(32, '0');
    const head = {
      number,
      id,
      previous: this.#previous,
      timestamp: timeText(this.#time),
      witness,
      transaction_count: count,
    };
    this.#previous = id;
    return { ...head, operations };
  }

  #operation(number: number): readonly [kind: string, body: Json] {
    const cast = this.#randomSource.roll(1000);
    const who = this.#account();
    if (cast < 660)
      return [
        'transfer',
        {
          fee: FEE,
          from: who,
          to: this.#account(),
          amount: this.#coins(),
          memo: `invoice ${this.#randomSource.roll(1e6)}`,
        },
      ];
    const document = {
      fee: FEE,
      sender: who,
      recipients: [this.#account()],
      app_id: this.#randomSource.chance(20) ? 3 : this.#randomSource.roll(APPLICATIONS),
    };
    if (cast < 890)
      return [
        'custom_json',
        { ...document, json: `{"order":${this.#randomSource.roll(1000)},"text":"as we said on the telephone"}` },
      ];
    if (cast < 930)
      return [
        'custom_binary',
        {
          ...document,
          data: this.#randomSource
            .roll(2 ** 32)
            .toString(16)
            .padStart(8, '0')
            .repeat(8),
        },
      ];
    if (cast < 960) return ['transfer_to_vesting', { fee: FEE, from: who, to: '', amount: this.#coins() }];
    if (cast < 997)
      return [
        'account_witness_vote',
        {
          fee: FEE,
          account: who,
          witness: this.#randomSource.pick(witnessNames),
          approve: this.#randomSource.chance(80),
        },
      ];
    this.#withdrawals.push({ account: who, paid: 0, due: number + DAY_BLOCKS });
    return ['withdraw_vesting', { fee: FEE, account: who, vesting_shares: '27.000000 VESTS' }];
  }

  /** The transactions that the chain itself makes. */
  *#own(number: number, witness: string): Generator<readonly [kind: string, body: Json]> {
    let first = this.#withdrawals[0];
    for (let most = 5; first !== undefined && first.due <= number && most > 0; most--) {
      this.#withdrawals.shift();
      const { account, paid } = first;
      yield [
        'fill_vesting_withdraw',
        { from_account: account, to_account: account, withdrawn: '1.000000 VESTS', deposited: '1.000000 COIN' },
      ];
      if (paid + 1 < INSTALMENTS) this.#withdrawals.push({ account, paid: paid + 1, due: first.due + DAY_BLOCKS });
      first = this.#withdrawals[0];
    }
    if (number % 20 === 0) yield ['interest', { owner: this.#account(), interest: '0.010000 COIN' }];
    yield ['producer_reward', { producer: witness, vesting_shares: '0.500000 VESTS' }];
  }

  /** Some act much more than others. */
  #account(): string {
    const cast = this.#randomSource.roll(100);
    if (cast < 2) return cast === 0 ? 'alice' : 'bob';
    return userName(Math.floor((this.#randomSource.roll(1e6) / 1e6) ** 3 * ACCOUNTS));
  }

  #coins(): string {
    return `${amountText(BigInt(1 + this.#randomSource.roll(5_000_000)))} COIN`;
  }
}

const witnessNames = Array.from({ length: WITNESSES }, (_, k) => `witness${k}`);

function userName(k: number): string {
  return `user${String(k).padStart(6, '0')}`;
}

function appointment(k: number): readonly [kind: string, body: Json] {
  const owner = witnessNames[k] ?? '';
  const props = { account_creation_fee: '0.500000 COIN', maximum_block_size: 131_072, price_feeds: [] };
  return ['witness_update', { fee: FEE, owner, url: `https://${owner}.example`, block_signing_key: KEY, props }];
}

const KEY = devPublicKey('initminer', present(profiles['default'], 'the default profile'));

/** Returns the account that pays for an operation without a sponsor. */
function findPayer(body: Json): string {
  const members: Readonly<Record<string, Json>> =
    typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {};
  const payer = members['from'] ?? members['sender'] ?? members['account'] ?? members['owner'];
  return typeof payer === 'string' ? payer : '';
}
