// The only importer of TypeBox. Set-up bundles the library's seven hundred files into this one file of the build
// (scripts/setup/bundled.js): loading them one by one took a quarter of a CPU-second in each thread and each program.

export { default as Type } from 'typebox';
export type { StaticEncode, TArray, TObject, TProperties, TSchema, TSchemaOptions, TUnsafe } from 'typebox';
export { Compile } from 'typebox/compile';
export type { Validator } from 'typebox/compile';
export { Create } from 'typebox/value';
