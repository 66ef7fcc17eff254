/** Thrown when the program is in an impossible state. It is never caught: the thread ends before it can write. */
export class AssertionFailure extends Error {
  override readonly name = 'AssertionFailure';
}

/** Checks an invariant; `message` says what was expected. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AssertionFailure(message);
}

/** The value, which must be present; `what` names it in the failure. */
export function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new AssertionFailure(`${what} is missing`);
  return value;
}
