/** Thrown when the program contradicts itself. Nobody catches it: the thread dies before it writes. */
export class AssertionFailure extends Error {
  override readonly name = 'AssertionFailure';
}

/** States what the program takes for granted; `message` says what was expected. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AssertionFailure(message);
}

/** The value, which the program knows to be there; `what` names it in the failure. */
export function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new AssertionFailure(`${what} is missing`);
  return value;
}

/** For the branch that the types rule out. */
export function unreachable(value: never): never {
  throw new AssertionFailure(`unreachable: ${String(value)}`);
}
