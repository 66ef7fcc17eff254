import { createScanner, SyntaxKind } from 'typescript/unstable/ast';

/**
 * One import of a file: what it names, which names it takes from there, and where.
 * @typedef {{ readonly specifier: string, readonly names: readonly string[], readonly line: number }} Import
 */

/** After these tokens and names a slash divides, or closes a tag; elsewhere it opens a regular expression. */
const values = new Set([
  ...[SyntaxKind.PrivateIdentifier, SyntaxKind.NumericLiteral, SyntaxKind.BigIntLiteral, SyntaxKind.StringLiteral],
  ...[SyntaxKind.RegularExpressionLiteral, SyntaxKind.NoSubstitutionTemplateLiteral, SyntaxKind.TemplateTail],
  ...[SyntaxKind.CloseParenToken, SyntaxKind.CloseBracketToken, SyntaxKind.LessThanToken],
  ...[SyntaxKind.ThisKeyword, SyntaxKind.SuperKeyword, SyntaxKind.NullKeyword],
]);

/** @type {Map<string, string>} */
const known = new Map();

/**
 * The source with comments and the insides of strings, templates and regular expressions turned into spaces: same
 * length, same lines, only code left. Code inside `${}` stays.
 * @param {string} source
 */
export function codeOnly(source) {
  const code = known.get(source) ?? scanned(source);
  known.set(source, code);
  return code;
}

/** @param {string} source */
function scanned(source) {
  const scanner = createScanner(true, undefined, source);
  let code = '';
  /** One entry for each open template: how many braces are open inside its `${`. @type {number[]} */
  const templates = [];
  let isValue = false;
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    const open = templates.at(-1);
    if (kind === SyntaxKind.OpenBraceToken && open !== undefined) templates[templates.length - 1] = open + 1;
    if (kind === SyntaxKind.CloseBraceToken && open !== undefined && open > 0)
      templates[templates.length - 1] = open - 1;
    if (kind === SyntaxKind.CloseBraceToken && open === 0) kind = scanner.reScanTemplateToken(false);
    if ((kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken) && !isValue)
      kind = scanner.reScanSlashToken();
    if (kind === SyntaxKind.TemplateHead) templates.push(0);
    if (kind === SyntaxKind.TemplateTail) templates.pop();
    code += blank(source.slice(code.length, scanner.getTokenStart())) + shown(kind, scanner.getTokenText());
    isValue = values.has(kind) || scanner.isIdentifier();
  }
  return code + blank(source.slice(code.length));
}

/** A token without what stands in quotes. @param {SyntaxKind} kind @param {string} text */
function shown(kind, text) {
  // Something must stand for the value, or a division after it would look like the next expression.
  if (kind === SyntaxKind.RegularExpressionLiteral)
    return text.replace(/^(.*)\/(\w*)$/s, (_, body, flags) => `${blank(body)}_${flags}`);
  const opens = kind === SyntaxKind.TemplateHead || kind === SyntaxKind.TemplateMiddle;
  const closes = kind === SyntaxKind.TemplateTail || kind === SyntaxKind.NoSubstitutionTemplateLiteral;
  if (!opens && !closes && kind !== SyntaxKind.StringLiteral) return text;
  const end = Math.max(text.length - (opens ? 2 : 1), 1);
  return text.slice(0, 1) + blank(text.slice(1, end)) + text.slice(end);
}

/** @param {string} text */
function blank(text) {
  return text.replace(/[^\n]/g, ' ');
}

/** Line number of a position, from 1. @param {string} source @param {number} position */
export function lineNumber(source, position) {
  return source.slice(0, position).split('\n').length;
}

/** Up to the quote before what is named: an import or a re-export with its names, or a loading at run time. */
const clauses =
  /\b(?:(?:import|export)\s+(?:type\s+)?([\w*$\s,]*(?:\{[^}]*\})?[\w*$\s,]*?)\s*\bfrom\s*|(?:import|require)\s*\(?\s*)['"`]/g;

/**
 * Everything that a file imports, re-exports, loads or refers to as a type of another file. Who takes a whole file may
 * use every name that stands in his own.
 * @param {string} source @returns {Import[]}
 */
export function listImports(source) {
  const code = codeOnly(source);
  return Array.from(code.matchAll(clauses), ({ 0: { length }, 1: named = '*', index }) => {
    const start = index + length;
    const end = code.indexOf(code.charAt(start - 1), start);
    const text = named.includes('*') ? code : named.replace(/\btype\s/g, '');
    return {
      specifier: source.slice(start, end),
      names: text.match(/[A-Za-z_$][\w$]*/g) ?? [],
      line: lineNumber(source, start),
    };
  });
}

/** The path that an import of a file names. @param {string} path @param {string} specifier */
export function resolve(path, specifier) {
  const parts = path.split('/').slice(0, -1);
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** The room of a path of src/: its folder there; a file directly in src/ has none. @param {string} path */
export function roomName(path) {
  const [, room = '', ...rest] = path.split('/');
  return rest.length > 0 ? room : '';
}
