import { nearby } from '../base/nearest.ts';
import type { Codec } from '../codec/codec.ts';
import { DecodeError, mismatch, shownJson } from '../codec/decode_error.ts';
import type { Json } from '../codec/json.ts';
import { text } from '../codec/primitives.ts';
import { givenNames, operationKindNamed, operationKinds } from '../operations/index.ts';
import type { OperationKind } from '../operations/operation.ts';

/** A kind of operation by its name, those that the chain itself makes included. */
export const kindName = kindNameCodec(() => true);

/** A kind that the chain itself makes, by its name. */
export const virtualKindName = kindNameCodec(({ isVirtual }) => isVirtual);

function kindNameCodec(isAmong: (kind: OperationKind) => boolean): Codec<OperationKind, string> {
  const kinds = Object.values(operationKinds).filter(isAmong);
  const names = kinds.map(({ name }) => name);
  const kindNamed = (json: Json): OperationKind => {
    const kind = typeof json === 'string' ? operationKindNamed(json) : undefined;
    return kind !== undefined && isAmong(kind) ? kind : refuseKind(json, names);
  };
  return {
    write: (out, { name }) => text.write(out, name),
    read: (input) => kindNamed(text.read(input)),
    toJson: ({ name }) => name,
    fromJson: kindNamed,
    initial: () => kindNamed(names[0] ?? ''),
    describe: ({ describesGiven = false }) => ({
      type: 'string',
      enum: describesGiven ? kinds.flatMap(givenNames) : names,
    }),
  };
}

function refuseKind(json: Json, names: readonly string[]): never {
  if (typeof json !== 'string') return mismatch('the name of an operation', json);
  const near = nearby(json, names);
  throw new DecodeError(
    `there is no operation ${shownJson(json)}; ${near === undefined ? `there are ${names.join(', ')}` : `did you mean ${near}?`}`,
  );
}
