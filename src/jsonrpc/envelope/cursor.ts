import { Type, type TSchema } from './typebox.ts';

/**
 * The member of a result that says where the next page begins. The legacy dialect has no cursors: its clients get the
 * list beside it, as if that were the only member.
 */
export const CURSOR = 'cursor';

/** The only member of a result besides the cursor; undefined where there are several members or none. */
export function onlyMember(schema: TSchema): { readonly name: string; readonly schema: TSchema } | undefined {
  if (!Type.IsObject(schema)) return undefined;
  const [only, ...others] = Object.entries(schema.properties).filter(([name]) => name !== CURSOR);
  return only === undefined || others.length > 0 ? undefined : { name: only[0], schema: only[1] };
}
