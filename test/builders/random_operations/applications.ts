import { applications as applicationTable } from '../../../src/state/tables/application.ts';
import { applicationBuyings } from '../../../src/state/tables/application_buying.ts';
import type { Makers, RandomValues } from './random_values.ts';

/** Operations on applications and purchases, mostly on existing ones. */
export const applications: Makers = {
  application_create: (random) => {
    const author = random.anyone();
    return {
      signer: random.active(author),
      fee: random.baseFee(),
      author,
      name: `app${random.randomSource.roll(6)}`,
      url: 'u',
      metadata: '',
      price_param: random.randomSource.roll(random.randomSource.chance(85) ? 2 : 3),
    };
  },
  application_update: (random) => {
    const { author, name } = application(random);
    const changes = {
      ...(random.randomSource.chance(40) ? { new_author: random.anyone() } : {}),
      ...(random.randomSource.chance(40) ? { price_param: random.randomSource.roll(3) } : {}),
    };
    return { signer: random.active(author), fee: random.baseFee(), author, name, url: 'v', metadata: 'm', ...changes };
  },
  application_delete: (random) => {
    const { author, name } = application(random);
    return { signer: random.active(author), fee: random.baseFee(), author, name };
  },
  buy_application: (random) => {
    const buyer = random.anyone();
    return { signer: random.active(buyer), fee: random.baseFee(), buyer, app_id: application(random).id };
  },
  cancel_application_buying: (random) => {
    const [buying] = random.randomSource.shuffle(random.chain.committed.rows(applicationBuyings, { limit: 20 }));
    const { author: app_owner, id } = application(random, buying?.app_id);
    return {
      signer: random.active(app_owner),
      fee: random.baseFee(),
      app_owner,
      buyer: buying?.buyer ?? random.anyone(),
      app_id: id,
    };
  },
};

/** An application; mostly an existing one. */
function application(random: RandomValues, wanted?: bigint): { author: string; name: string; id: number } {
  const known = random.chain.committed
    .range(applicationTable.by_id, { limit: 20 })
    .filter(({ id }) => wanted === undefined || id === wanted);
  if (known.length === 0 || random.randomSource.chance(10))
    return { author: random.anyone(), name: `app${random.randomSource.roll(6)}`, id: random.randomSource.roll(30) };
  const { author, name, id } = random.randomSource.pick(known);
  return { author, name, id: Number(id) };
}
