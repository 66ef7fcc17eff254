/**
 * The place of what set-up has put into build/, from the compiled sources as from the bundled program, which lies as
 * deep.
 */
export function builtFile(path: string): URL {
  return new URL(`../../${path}`, import.meta.url);
}
