import { nearby } from '../base/nearest.ts';
import { Refusal } from '../base/refusal.ts';

/** The refusal of a method that is not among these. */
export function unknownMethod(method: string, names: Iterable<string>): Refusal {
  const near = nearby(method, names);
  const advice = near === undefined ? '' : `; did you mean ${near}?`;
  return new Refusal('unknown_method', `this client knows no method ${method}${advice}`, { method });
}
