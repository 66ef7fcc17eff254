import { Fault, stackOf, type FaultCode } from '../base/fault.ts';

/** The message to the front about an error that ends a thread. */
export interface ThreadFailure {
  readonly kind: 'failed';
  readonly code: FaultCode | 'assertion';
  readonly message: string;
}

export function failureOf(error: unknown): ThreadFailure {
  const [code, message] =
    error instanceof Fault ? [error.code, error.message] : (['assertion', stackOf(error)] as const);
  return { kind: 'failed', code, message };
}
