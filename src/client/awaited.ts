import { refusals } from '../base/refusal.ts';

const refuse = refusals({ not_awaited: '{member}: a promise, not its value; write await before it' });

/** Refuses a promise, which stands where its value was meant. */
export function requireAwaited(value: unknown, member: string): void {
  if (typeof value === 'object' && value !== null && 'then' in value) refuse.not_awaited({ member });
}
