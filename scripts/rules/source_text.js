/**
 * The source with comments and the insides of strings, templates and regular expressions turned into spaces: same length, same
 * lines, only code left. A scanner, not a parser; code inside `${}` stays.
 * @param {string} source
 * @returns {string}
 */
export function codeOnly(source) {
  let code = '';
  let at = 0;
  /** One entry per open template: how many braces are open inside its `${`. @type {number[]} */
  const templates = [];

  /** @param {number} end */
  const keep = (end) => {
    code += source.slice(at, end);
    at = end;
  };
  /** @param {number} end */
  const hide = (end) => {
    code += source.slice(at, end).replace(/[^\n]/g, ' ');
    at = end;
  };
  const templateText = () => {
    const end = endOfTemplateText(source, at);
    hide(end);
    if (source.startsWith('${', at)) {
      templates.push(0);
      keep(at + 2);
    } else {
      keep(at + 1);
    }
  };

  while (at < source.length) {
    const character = source.charAt(at);
    const pair = source.slice(at, at + 2);
    if (pair === '//') hide(endOr(source.indexOf('\n', at), source));
    else if (pair === '/*') hide(endOr(source.indexOf('*/', at + 2) + 2, source, 1));
    else if (character === "'" || character === '"') {
      const end = endOfQuoted(source, at, character);
      keep(at + 1);
      hide(end - 1);
      keep(end);
    } else if (character === '/' && startsRegularExpression(code)) {
      hide(endOfRegularExpression(source, at) - 1);
      // Something must stand for the value, or a division after it would look like the next expression.
      code += '_';
      at++;
    } else if (character === '`') {
      keep(at + 1);
      templateText();
    } else if (character === '{' && templates.length > 0) {
      templates[templates.length - 1] = (templates.at(-1) ?? 0) + 1;
      keep(at + 1);
    } else if (character === '}' && templates.length > 0) {
      keep(at + 1);
      const open = templates.at(-1) ?? 0;
      if (open > 0) templates[templates.length - 1] = open - 1;
      else {
        templates.pop();
        templateText();
      }
    } else keep(at + 1);
  }
  return code;
}

/**
 * Line number of a position, from 1.
 * @param {string} source
 * @param {number} position
 */
export function lineAt(source, position) {
  let line = 1;
  for (let at = source.indexOf('\n'); at !== -1 && at < position; at = source.indexOf('\n', at + 1)) line++;
  return line;
}

/** @param {number} found @param {string} source @param {number} [missing] */
function endOr(found, source, missing = -1) {
  return found === missing ? source.length : found;
}

/** @param {string} source @param {number} start @param {string} quote */
function endOfQuoted(source, start, quote) {
  for (let at = start + 1; at < source.length; at++) {
    if (source.charAt(at) === '\\') at++;
    else if (source.charAt(at) === quote || source.charAt(at) === '\n') return at + 1;
  }
  return source.length;
}

/** @param {string} source @param {number} start */
function endOfTemplateText(source, start) {
  for (let at = start; at < source.length; at++) {
    if (source.charAt(at) === '\\') at++;
    else if (source.charAt(at) === '`' || source.startsWith('${', at)) return at;
  }
  return source.length;
}

/** @param {string} source @param {number} start */
function endOfRegularExpression(source, start) {
  let inClass = false;
  for (let at = start + 1; at < source.length; at++) {
    const character = source.charAt(at);
    if (character === '\\') at++;
    else if (character === '\n') return at;
    else if (character === '[') inClass = true;
    else if (character === ']') inClass = false;
    else if (character === '/' && !inClass) return at + 1;
  }
  return source.length;
}

/**
 * A slash divides after a value and opens a regular expression elsewhere.
 * @param {string} before
 */
function startsRegularExpression(before) {
  const text = before.trimEnd();
  return text === '' || /[(,=:[!&|?{};+\-*/%<>~^]$/.test(text) || /\b(?:return|typeof|case|in|of|void|throw|yield|await)$/.test(text);
}
