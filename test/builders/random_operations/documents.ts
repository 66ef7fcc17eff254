import type { Makers, RandomValues } from './random_values.ts';

/** Documents of applications, of sizes around a base fee. */
export const documents: Makers = {
  custom: (random) => ({ ...document(random), data: Buffer.from(payload(random)).toString('hex') }),
  custom_json: (random) => ({
    ...document(random),
    json: random.randomSource.chance(90) ? `"${payload(random)}"` : payload(random),
  }),
  custom_binary: (random) => ({ ...document(random), data: Buffer.from(payload(random)).toString('hex') }),
};

function document(random: RandomValues): {
  signer: string[];
  fee: string;
  sender: string;
  recipients: string[];
  app_id: number;
} {
  const sender = random.anyone();
  const recipients = Array.from({ length: random.randomSource.roll(4) }, () => random.anyone());
  return {
    signer: random.active(sender),
    fee: '0.020000 COIN',
    sender,
    recipients,
    app_id: random.randomSource.roll(3),
  };
}

function payload(random: RandomValues): string {
  return 'x'.repeat(random.randomSource.pick([0, 1, 10, 4094, 4095]));
}
