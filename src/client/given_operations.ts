import { refusals } from '../base/refusal.ts';
import { requireAwaited } from './awaited.ts';

const refuse = refusals({
  no_operations: 'operations: a list of names with bodies, such as {example}, expected, got {given}',
  no_operation: 'operations[{index}]: a name with a body, such as {example}, expected, got {given}',
});

const EXAMPLE = '["transfer", { from, to, amount, memo }]';

/**
 * Refuses what has not even the form of operations, as programs without types hand it over; what is in them the node
 * looks at.
 */
export function requireOperations(operations: unknown): void {
  requireAwaited(operations, 'operations');
  if (!isList(operations)) return refuse.no_operations({ example: `[${EXAMPLE}]`, given: shown(operations) });
  for (const [index, operation] of operations.entries()) requireAwaited(operation, `operations[${index}]`);
  for (const [index, operation] of operations.entries())
    if (!isPair(operation)) refuse.no_operation({ index, example: EXAMPLE, given: shown(operation) });
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isPair(operation: unknown): boolean {
  if (!isList(operation) || operation.length !== 2) return false;
  const [name, body] = operation;
  return typeof name === 'string' && typeof body === 'object' && body !== null && !isList(body);
}

/** Long enough to be recognised. */
const SHOWN = 80;

function shown(value: unknown): string {
  const isJson = typeof value === 'string' || typeof value === 'object';
  const text = isJson
    ? JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part))
    : String(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
