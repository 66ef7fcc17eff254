import type { Json } from '../../../src/codec/json.ts';
import { witnesses as witnessTable } from '../../../src/state/tables/witness.ts';
import { fiatSymbols } from '../../../src/values/profile.ts';
import { NULL_KEY } from '../../../src/values/public_key.ts';
import { testKey, testKeyText, encoding } from '../chain.ts';
import type { Makers, RandomValues } from './random_values.ts';

/** Witnesses, the votes for them, and their prices. */
export const witnesses: Makers = {
  witness_update: (random) => {
    const owner = random.anyone();
    const label = random.fresh();
    const isStop = owner !== 'initminer' && random.randomSource.chance(5);
    return {
      signer: random.active(owner),
      fee: random.freeFee(),
      owner,
      url: random.randomSource.chance(97) ? 'u' : '',
      block_signing_key: isStop ? nullKeyText() : testKeyText(label),
      props: properties(random),
    };
  },
  witness_stop: (random) => {
    // The lineage lets a chain stop for good; one witness is left alone.
    const owner = random.witness();
    const stops = owner === 'initminer' ? 'alice' : owner;
    return { signer: random.active(stops), fee: random.baseFee(), owner: stops };
  },
  witness_set_properties: (random) => {
    const owner = random.witness();
    const key = random.chain.pendingRows.get(witnessTable, owner)?.signing_key ?? testKey('nobody');
    // Without the key that it produces with a witness signs as its owner.
    const isByOwner = random.randomSource.chance(12);
    const props = {
      ...(isByOwner ? {} : { key: random.randomSource.chance(95) ? key : testKey('nobody') }),
      ...(random.randomSource.chance(50) ? { maximum_block_size: 131_070 + random.randomSource.roll(9999) } : {}),
      ...(random.randomSource.chance(30)
        ? { new_signing_key: random.randomSource.chance(93) ? testKey(random.fresh()) : NULL_KEY }
        : {}),
      ...(random.randomSource.chance(30) ? { exchange_rates: [price(random)] } : {}),
      ...(random.randomSource.chance(30)
        ? { account_creation_fee: random.randomSource.pick(['0.400000 COIN', '0.050000 COIN', '0.000001 COIN']) }
        : {}),
      ...(random.randomSource.chance(30) ? { url: random.randomSource.pick(['there', 'here', '']) } : {}),
    };
    const signer = isByOwner ? random.active(owner) : (random.labels.get(key) ?? 'nobody');
    return { signer, fee: random.freeFee(), owner, props, extensions: [] };
  },
  admin_witness_update: (random) => {
    const label = random.fresh();
    return {
      signer: random.active('initminer'),
      fee: random.freeFee(),
      owner: random.anyone(),
      url: 'u',
      block_signing_key: testKeyText(label),
      props: properties(random),
    };
  },
  account_witness_vote: (random) => {
    const account = random.anyone();
    return {
      signer: random.active(account),
      fee: random.freeFee(),
      account,
      witness: random.witness(),
      approve: random.randomSource.chance(70),
    };
  },
  account_witness_proxy: (random) => {
    const account = random.anyone();
    return {
      signer: random.active(account),
      fee: random.freeFee(),
      account,
      proxy: random.randomSource.chance(40) ? '' : random.anyone(),
    };
  },
  feed_publish: (random) => {
    const publisher = random.witness();
    return { signer: random.active(publisher), fee: random.freeFee(), publisher, exchange_rate: price(random) };
  },
};

function price(random: RandomValues): { base: string; quote: string } {
  const [coin, fiat] = [
    `${1 + random.randomSource.roll(9)}.000000 COIN`,
    `${1 + random.randomSource.roll(9)}.000000 ${random.randomSource.pick(fiatSymbols)}`,
  ];
  return random.randomSource.chance(50) ? { base: coin, quote: fiat } : { base: fiat, quote: coin };
}

function properties(random: RandomValues): Json {
  const rate = price(random);
  const symbol = (rate.base + rate.quote).replace(/COIN|[^A-Z]/g, '');
  const price_feeds = random.randomSource.chance(30) ? [[symbol, rate]] : [];
  return {
    account_creation_fee: `0.${5 + random.randomSource.roll(5)}00000 COIN`,
    maximum_block_size: 131_000 + random.randomSource.roll(100_000),
    price_feeds,
  };
}

function nullKeyText(): string {
  return `${encoding.keyPrefix}1111111111111111111111111111111114T1Anm`;
}
