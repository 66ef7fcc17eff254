/** @import * as ast from 'typescript/unstable/ast' */
import { API } from 'typescript/unstable/sync';

/**
 * @typedef {import('typescript/unstable/sync').Symbol} Symbol
 * @typedef {import('typescript/unstable/sync').Type} Type
 * @typedef {import('typescript/unstable/sync').NodeHandle} NodeHandle
 */

/** The options for the parts of pages in TSX. */
const ofPages = {
  jsx: 'react-jsx',
  jsxImportSource: 'preact',
  lib: ['es2023', 'es2024.string', 'dom', 'dom.iterable'],
};

/** A compiler that runs. Small programs may share one: to start it takes longer than to look at them. */
export class Compiler {
  /** @readonly */
  #api;
  /** @type {ReadonlyMap<string, string>} */
  #texts = new Map();

  /** @param {string} root the project's folder, with a slash at the end */
  constructor(root) {
    this.#api = new API({
      cwd: root,
      fs: {
        readFile: (path) => this.#texts.get(path),
        fileExists: (path) => (this.#texts.has(path) ? true : undefined),
      },
    });
  }

  /** Opens a project of files that may be on no disk. @param {string} config @param {ReadonlyMap<string, string>} texts by absolute path */
  open(config, texts) {
    this.#texts = texts;
    const [project] = this.#api
      .updateSnapshot({ openProjects: [config], fileChanges: { changed: [...texts.keys()] } })
      .getProjects();
    if (project === undefined) throw new Error(`the compiler opens no project at ${config}`);
    return project;
  }

  /** @param {string} config */
  release(config) {
    this.#api.updateSnapshot({ closeProjects: [config] });
  }

  close() {
    this.#api.close();
  }
}

/**
 * Files as the compiler understands them. The only file that speaks to it: its interface may change with the version,
 * which package.json names exactly. Questions cost 50 µs each, so they are asked for all nodes of a file at once.
 */
export class CheckedProgram {
  /** @readonly */
  #compiler;
  /** @readonly */
  #config;
  /** @readonly */
  #project;
  /** @readonly */
  #folder;
  /** @readonly @type {Map<string, ast.Node | undefined>} */
  #resolved = new Map();
  /** @readonly @type {Map<number, readonly Symbol[]>} */
  #properties = new Map();

  /**
   * @param {ReadonlyMap<string, string>} files texts by path from the project's folder
   * @param {string} root that folder, with a slash at the end
   * @param {Compiler} compiler
   */
  constructor(files, root, compiler) {
    this.#config = `${root}tsconfig.members.json`;
    const texts = new Map([...files].map(([path, text]) => [root + path, text]));
    texts.set(
      this.#config,
      JSON.stringify({ extends: './tsconfig.json', compilerOptions: ofPages, include: [], files: [...files.keys()] }),
    );
    this.#folder = root;
    this.#compiler = compiler;
    this.#project = compiler.open(this.#config, texts);
  }

  /** The trees of the files. @returns {ast.SourceFile[]} */
  sourceFiles() {
    const { program } = this.#project;
    const own = program.getSourceFileNames().filter((name) => this.#isOwn(name));
    return own.flatMap((name) => program.getSourceFile(name) ?? []);
  }

  /** The path of a file from the project's folder. @param {ast.SourceFile} file */
  filePath({ fileName }) {
    return fileName.slice(this.#folder.length);
  }

  /** Returns the symbol at each node. @param {readonly ast.Node[]} nodes @returns {Symbol[]} each once */
  getSymbols(nodes) {
    const all = byFile(nodes).flatMap((some) => this.#project.checker.getSymbolAtLocation(some));
    return [...new Map(all.flatMap((symbol) => (symbol === undefined ? [] : [[symbol.id, symbol]]))).values()];
  }

  /** @template {ast.Node} N @param {readonly N[]} nodes @returns {[node: N, type: Type][]} */
  getTypes(nodes) {
    return byFile(nodes).flatMap((some) => {
      const types = this.#project.checker.getTypeAtLocation(some);
      return some.flatMap((node, index) => {
        const type = types[index];
        return type === undefined ? [] : [/** @type {[N, Type]} */ ([node, type])];
      });
    });
  }

  /** Returns the type that is expected of an expression. @param {ast.Expression} expression */
  expectedType(expression) {
    return this.#project.checker.getContextualType(expression);
  }

  /** The type that a class, an interface or a type literal declares. @param {ast.Node} owner @param {ast.Node | undefined} name */
  declaredType(owner, name) {
    const { checker } = this.#project;
    if (name === undefined) return checker.getTypeFromTypeNode(/** @type {ast.TypeNode} */ (owner));
    const symbol = checker.getSymbolAtLocation(name);
    return symbol && checker.getDeclaredTypeOfSymbol(symbol);
  }

  /** The members of a type; of a union those of all its parts. @param {Type} type @returns {readonly Symbol[]} */
  typeProperties(type) {
    const known = this.#properties.get(type.id);
    if (known !== undefined) return known;
    const found =
      type.isUnionType() || type.isIntersectionType()
        ? type.getTypes().flatMap((part) => this.typeProperties(part))
        : this.#project.checker.getPropertiesOfType(type);
    this.#properties.set(type.id, found);
    return found;
  }

  /** @param {Type} type @param {string} name */
  findProperty(type, name) {
    return this.#project.checker.getPropertyOfType(type, name);
  }

  /** True when an object of the type may have members that nobody names. @param {Type} type @returns {boolean} */
  hasUnnamed(type) {
    if (type.isUnionType() || type.isIntersectionType()) return type.getTypes().some((part) => this.hasUnnamed(part));
    return this.typeProperties(type).length === 0 || this.#project.checker.getIndexInfosOfType(type).length > 0;
  }

  /** @param {Type} from @param {Type} to */
  isAssignable(from, to) {
    return this.#project.checker.isTypeAssignableTo(from, to);
  }

  /** Returns the declarations of a symbol in these files. @param {Symbol} symbol @returns {ast.Node[]} */
  symbolDeclarations({ declarations }) {
    return declarations.flatMap((handle) => this.#resolve(handle) ?? []);
  }

  /** True when a library, the language or the compiler itself declares it, too. @param {Symbol} symbol */
  isForeign({ declarations }) {
    return declarations.length === 0 || declarations.some(({ path }) => !this.#isOwn(path));
  }

  /**
   * Returns the errors that the compiler finds in a file. @param {string} path from the project's folder @returns
   * {string[]}
   */
  fileErrors(path) {
    return this.#project.program.getSemanticDiagnostics(this.#folder + path).map(({ text }) => text);
  }

  close() {
    this.#compiler.release(this.#config);
  }

  /** @param {NodeHandle} handle */
  #resolve(handle) {
    if (!this.#isOwn(handle.path)) return undefined;
    const key = `${handle.path} ${handle.index}`;
    if (!this.#resolved.has(key)) this.#resolved.set(key, handle.resolve(this.#project));
    return this.#resolved.get(key);
  }

  /** @param {string} path */
  #isOwn(path) {
    return path.startsWith(`${this.#folder}src/`) && !path.endsWith('.d.ts');
  }
}

/**
 * Runs `look` over those of some files that are of src/.
 * @template T @param {ReadonlyMap<string, string>} files @param {string} root @param {Compiler} compiler
 * @param {(program: CheckedProgram) => T} look
 */
export function lookInProgram(files, root, compiler, look) {
  const program = new CheckedProgram(new Map([...files].filter(([path]) => path.startsWith('src/'))), root, compiler);
  try {
    return look(program);
  } finally {
    program.close();
  }
}

/** @template {ast.Node} N @param {readonly N[]} nodes @returns {N[][]} */
function byFile(nodes) {
  /** @type {Map<ast.SourceFile, N[]>} */
  const files = new Map();
  for (const node of nodes) {
    const file = node.getSourceFile();
    const some = files.get(file);
    if (some === undefined) files.set(file, [node]);
    else some.push(node);
  }
  return [...files.values()];
}
