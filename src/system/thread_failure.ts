import { Fault, errorStack, type FaultCode } from '../base/fault.ts';

/** The message to the front about an error that ends a thread. */
export interface ThreadFailure {
  readonly kind: 'failed';
  readonly code: FaultCode | 'assertion';
  readonly message: string;
}

export function threadFailure(error: unknown): ThreadFailure {
  const [code, message] =
    error instanceof Fault ? [error.code, error.message] : (['assertion', errorStack(error)] as const);
  return { kind: 'failed', code, message };
}
