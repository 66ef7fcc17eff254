import { Refusal } from '../../src/base/refusal.ts';

/** Why something was refused; whatever else goes wrong is thrown. */
export function refusalOf(run: () => void): Refusal | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** One more of that name. */
export function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
