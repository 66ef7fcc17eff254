/** The flag of a symbol that may be absent, of which the compiler's interface has no name. */
const optionalSymbol = 16_777_216;
/** The flag for texts that are not cut. */
const noTruncation = 1;
const plain = /^(?:string|number|bigint|boolean|null|undefined|unknown|true|false|\{\}|".*"|-?\d+)$/;

/** Writes types as text without the names of this project's types, but for a few that are written apart. */
export class TypePrinter {
  /** @readonly */
  #checker;
  /** @readonly */
  #types;
  /** @readonly @type {Map<number, string>} */
  #names = new Map();

  constructor(project, file) {
    this.#checker = project.checker;
    const module = this.#checker.getSymbolAtLocation(project.program.getSourceFile(file));
    const types = this.#checker
      .getExportsOfModule(module)
      .map((symbol) => [symbol.name, this.#checker.getDeclaredTypeOfSymbol(symbol)]);
    this.#types = new Map(types);
    for (const { name, type } of this.#members(this.#types.get('Named'))) this.#names.set(type.id, name);
  }

  /** The members of an exported type, in braces. */
  printMembers(name) {
    return this.#object(this.#types.get(name), '');
  }

  /** Declarations of the types that are written apart. */
  named(names) {
    const members = this.#members(this.#types.get('Named')).filter(({ name }) => names.includes(name));
    return members.map(({ name, type }) => `\nexport interface ${name} ${this.#object(type, '')}\n`).join('');
  }

  #text(type, indent) {
    const name = this.#names.get(type.id);
    if (name !== undefined) return name;
    if (type.isUnionType()) return this.#union(type, indent);
    if (type.isIntersectionType()) return this.#intersection(type, indent);
    if (this.#checker.isTupleType(type)) return this.#tuple(type, indent);
    if (this.#checker.isArrayType(type)) return this.#list(type, indent);
    const written = this.#checker.typeToString(type, undefined, noTruncation);
    return plain.test(written) ? written : this.#object(type, indent);
  }

  /** Objects as one; a list that is marked as something is the list. */
  #intersection(type, indent) {
    const list = type.getTypes().find((part) => this.#checker.isArrayType(part));
    return list === undefined ? this.#object(type, indent) : this.#list(list, indent);
  }

  #union(type, indent) {
    const texts = [...new Set(type.getTypes().map((part) => this.#text(part, indent)))];
    const isBoolean = texts.includes('true') && texts.includes('false');
    const whole = isBoolean ? ['boolean', ...texts.filter((text) => text !== 'true' && text !== 'false')] : texts;
    return whole.map((text) => (text.startsWith('readonly ') ? `(${text})` : text)).join(' | ');
  }

  #tuple(type, indent) {
    return `readonly [${this.#checker
      .getTypeArguments(type)
      .map((item) => this.#text(item, indent))
      .join(', ')}]`;
  }

  #list(type, indent) {
    const [item] = this.#checker.getTypeArguments(type);
    const text = this.#text(item, indent);
    return `readonly ${/ \| |^readonly /.test(text) ? `(${text})` : text}[]`;
  }

  #object(type, indent) {
    const index = this.#checker.getIndexInfosOfType(type)[0];
    const inner = `${indent}  `;
    const members = this.#members(type).map(({ name, type: member, isOptional }) => {
      const key = /^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name);
      const text = this.#text(member, inner);
      return `${inner}readonly ${key}${isOptional ? '?' : ''}: ${isOptional ? text.replace(/^undefined \| | \| undefined$/, '') : text};\n`;
    });
    if (index !== undefined) members.push(`${inner}readonly [name: string]: ${this.#text(index.valueType, inner)};\n`);
    return members.length === 0 ? '{}' : `{\n${members.join('')}${indent}}`;
  }

  #members(type) {
    return this.#checker
      .getPropertiesOfType(type)
      .filter(({ name }) => !name.startsWith('__@'))
      .map((symbol) => ({
        name: symbol.name,
        type: this.#checker.getTypeOfSymbol(symbol),
        isOptional: (symbol.flags & optionalSymbol) !== 0,
      }));
  }
}
