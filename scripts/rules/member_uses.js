import * as ast from 'typescript/unstable/ast';

/**
 * @typedef {import('typescript/unstable/sync').Symbol} Symbol
 * @typedef {import('typescript/unstable/sync').Type} Type
 * @typedef {import('./checked_program.js').CheckedProgram} CheckedProgram
 * @typedef {import('./member_walk.js').Member} Member
 * @typedef {import('./member_walk.js').Found} Found
 */

/**
 * The declarations of all members that somebody reads: by a dot, by taking apart, by asking whether they are there, or together with
 * all others when the object is copied.
 * @param {CheckedProgram} program @param {Found} found @returns {ReadonlySet<ast.Node>}
 */
export function readMembers(program, found) {
  const names = new Set(found.members.map(({ name }) => name));
  const marks = new Marks(program);
  marks.add(program.getSymbols(found.reads.filter(({ text }) => names.has(text))));
  for (const [pattern, type] of program.getTypes(found.patterns)) marks.addTakenApart(pattern.elements, type, names);
  for (const [, type] of program.getTypes(found.lookedUp)) marks.add(program.typeProperties(type));
  addTested(marks, program, found);
  addElements(marks, program, found);
  addCopied(marks, program, found);
  return marks.nodes;
}

/**
 * Marks members of an object that is copied into another one. They are read where the expected type reads them, and
 * where that type has members without a name, as JSON has. Where nobody says what the object is to be, the compiler
 * remembers what its members were copied from.
 * @param {Marks} marks @param {CheckedProgram} program @param {Found} found
 */
function addCopied(marks, program, { spreads }) {
  const literals = new Map(spreads.map(({ expression, parent }) => [expression, parent]));
  /** @type {{ readonly from: Symbol, readonly to: readonly Symbol[] }[]} */
  const copied = [];
  for (const [expression, type] of program.getTypes([...literals.keys()])) {
    const expected = program.expectedType(/** @type {ast.ObjectLiteralExpression} */ (literals.get(expression)));
    if (expected === undefined) continue;
    for (const from of program.typeProperties(type)) {
      const to = program.typeProperties(expected).filter(({ name }) => name === from.name);
      if (to.length === 0 && program.hasUnnamed(expected)) marks.add([from]);
      else copied.push({ from, to });
    }
  }
  marks.addWhereRead(copied);
}

/** @param {Marks} marks @param {CheckedProgram} program @param {Found} found */
function addTested(marks, program, { tests }) {
  const names = new Map(tests.map(({ name, object }) => [object, name]));
  for (const [object, type] of program.getTypes([...names.keys()]))
    marks.add(program.typeProperties(type).filter(({ name }) => name === names.get(object)));
}

/** `object[name]` reads whatever the name can be. @param {Marks} marks @param {CheckedProgram} program @param {Found} found */
function addElements(marks, program, { elements }) {
  const keys = new Map(program.getTypes(elements.map(({ argumentExpression }) => argumentExpression)));
  const owners = new Map(elements.map((element) => [element.expression, element.argumentExpression]));
  for (const [object, type] of program.getTypes([...owners.keys()])) {
    const key = keys.get(/** @type {ast.Expression} */ (owners.get(object)));
    const parts = key === undefined ? [] : key.isUnionType() ? key.getTypes() : [key];
    const literal = new Set(parts.flatMap((part) => (part.isStringLiteralType() ? part.value : [])));
    const isAny = parts.some((part) => part.isIndexType() || part.isTypeParameter());
    if (isAny || literal.size > 0)
      marks.add(program.typeProperties(type).filter(({ name }) => isAny || literal.has(name)));
  }
}

/** Declarations of members that were found to be used. */
class Marks {
  /** @readonly */
  #program;
  /** @type {Set<ast.Node>} */
  nodes = new Set();

  /** @param {CheckedProgram} program */
  constructor(program) {
    this.#program = program;
  }

  /** @param {readonly Symbol[]} symbols */
  add(symbols) {
    for (const symbol of symbols)
      for (const node of this.#program.symbolDeclarations(symbol)) this.#note(node, symbol.name);
  }

  /** @param {readonly ast.BindingElement[]} elements @param {Type} type @param {ReadonlySet<string>} names */
  addTakenApart(elements, type, names) {
    const taken = elements.map(({ propertyName, name }) => (propertyName ?? name)?.getText() ?? '');
    for (const name of taken) {
      const symbol = names.has(name) ? this.#program.findProperty(type, name) : undefined;
      if (symbol !== undefined) this.add([symbol]);
    }
    const hasRest = elements.some(({ dotDotDotToken }) => dotDotDotToken !== undefined);
    if (hasRest) this.add(this.#program.typeProperties(type).filter(({ name }) => !taken.includes(name)));
  }

  /**
   * Marks members that are read under another declaration, over any number of steps. @param {readonly { readonly from:
   * Symbol, readonly to: readonly Symbol[] }[]} copied
   */
  addWhereRead(copied) {
    const isRead = (/** @type {Symbol} */ symbol) =>
      this.#program.isForeign(symbol) || this.#program.symbolDeclarations(symbol).some((node) => this.nodes.has(node));
    for (let before = -1; before !== this.nodes.size;) {
      before = this.nodes.size;
      this.add(copied.filter(({ to }) => to.some(isRead)).map(({ from }) => from));
    }
  }

  /** A member of an object literal is one of the type that the literal is expected to have. @param {ast.Node} node @param {string} name */
  #note(node, name) {
    if (this.nodes.has(node)) return;
    this.nodes.add(node);
    const { parent } = node;
    const expected = ast.isObjectLiteralExpression(parent) ? this.#program.expectedType(parent) : undefined;
    if (expected !== undefined)
      this.add(this.#program.typeProperties(expected).filter((property) => property.name === name));
  }
}

/**
 * The declarations of all optional members that somebody sets: in an object literal, by assignment, or as a member of a class.
 * Where it can't be told whose member it is, it counts for all of its name.
 * @param {CheckedProgram} program @param {Found} found @returns {ReadonlySet<ast.Node>}
 */
export function setMembers(program, { members, literals, writes }) {
  const optional = members.filter(({ isOptional }) => isOptional);
  const names = new Set(optional.map(({ name }) => name));
  const marks = new Marks(program);
  marks.add(program.getSymbols(writes.filter(({ text }) => names.has(text))));
  const implemented = members.filter(({ name, owner }) => names.has(name) && ast.isClassLikeDeclaration(owner));
  for (const member of implemented) marks.add(inheritedMembers(program, member));
  /** @type {Set<string>} */
  const loose = new Set();
  for (const literal of literals) {
    for (const name of patternNames(literal).filter((one) => names.has(one))) {
      const symbols = expectedMembers(program, literal, name);
      if (symbols.length === 0) loose.add(name);
      else marks.add(symbols);
    }
  }
  return new Set([...marks.nodes, ...optional.flatMap(({ node, name }) => (loose.has(name) ? [node] : []))]);
}

/** @param {CheckedProgram} program @param {ast.ObjectLiteralExpression} literal @param {string} name */
function expectedMembers(program, literal, name) {
  const type = program.expectedType(literal);
  const named = type === undefined ? [] : program.typeProperties(type).filter((property) => property.name === name);
  // What is inferred from the literal says nothing about it.
  return named.filter((symbol) =>
    program.symbolDeclarations(symbol).some(({ parent }) => !ast.isObjectLiteralExpression(parent)),
  );
}

/** @param {ast.ObjectLiteralExpression} literal @returns {string[]} */
function patternNames({ properties }) {
  return properties.flatMap((property) =>
    'name' in property && property.name !== undefined && ast.isIdentifier(property.name) ? property.name.text : [],
  );
}

/** As good as its own name: with fewer members many types are alike that have nothing to do with each other. */
const FEWEST_MEMBERS = 2;

/**
 * Of these members those that are not read as members of another type either: one that theirs implements, or one that it fits, so that
 * its objects can be given where the other is asked for.
 * @param {CheckedProgram} program @param {readonly Member[]} candidates @param {Found} found @param {ReadonlySet<ast.Node>} read
 * @returns {Member[]}
 */
export function unreadAnywhere(program, candidates, { members }, read) {
  const types = new Types(program);
  /** @type {Map<string, Member[]>} */
  const readByName = new Map();
  for (const member of members.filter(({ node, owner }) => read.has(node) && canReplace(owner))) {
    const others = readByName.get(member.name);
    if (others === undefined) readByName.set(member.name, [member]);
    else others.push(member);
  }
  return candidates.filter((member) => {
    const inherited = inheritedMembers(program, member);
    if (
      inherited.some(
        (symbol) => program.isForeign(symbol) || program.symbolDeclarations(symbol).some((node) => read.has(node)),
      )
    )
      return false;
    const own = types.of(member.owner);
    const others = readByName.get(member.name) ?? [];
    return !others.some(({ owner }) => {
      const other = types.of(owner);
      return own !== undefined && other !== undefined && program.isAssignable(own, other);
    });
  });
}

/**
 * True when a value that fits the type is read as one of it: through the bound of a type parameter, or with enough
 * members. @param {Member['owner']} owner
 */
function canReplace(owner) {
  return owner.members.length >= FEWEST_MEMBERS || ast.isTypeParameterDeclaration(owner.parent);
}

/** The members of this name in what its owner extends or implements. @param {CheckedProgram} program @param {Member} member */
function inheritedMembers(program, { name, owner }) {
  if (ast.isTypeLiteralNode(owner)) return [];
  const bases = (owner.heritageClauses ?? []).flatMap(({ types }) => types);
  return program.getTypes(bases).flatMap(([, type]) => program.findProperty(type, name) ?? []);
}

/** The types of owners, each asked for once. */
class Types {
  /** @readonly */
  #program;
  /** @readonly @type {Map<Member['owner'], Type | undefined>} */
  #known = new Map();

  /** @param {CheckedProgram} program */
  constructor(program) {
    this.#program = program;
  }

  /** @param {Member['owner']} owner */
  of(owner) {
    if (!this.#known.has(owner))
      this.#known.set(owner, this.#program.declaredType(owner, ast.isTypeLiteralNode(owner) ? undefined : owner.name));
    return this.#known.get(owner);
  }
}
