import * as ast from 'typescript/unstable/ast';

const { SyntaxKind } = ast;

/**
 * A member that others can see.
 * @typedef {object} Member
 * @property {ast.Node} node
 * @property {string} name
 * @property {ast.ClassLikeDeclaration | ast.InterfaceDeclaration | ast.TypeLiteralNode} owner
 * @property {string} ownerName the type's, or the function's that takes it
 * @property {boolean} isOptional and so might never be set
 * @property {boolean} isGiven somebody gives it; otherwise it only shows how members of other types are used
 */

/**
 * The declarations in some files, and every place that may read or set a member.
 * @typedef {object} Found
 * @property {Member[]} members
 * @property {ast.Identifier[]} reads names behind a dot
 * @property {ast.Identifier[]} writes the same, left of an equals sign
 * @property {ast.ObjectBindingPattern[]} patterns
 * @property {ast.ObjectLiteralExpression[]} literals
 * @property {ast.SpreadAssignment[]} spreads
 * @property {{ readonly name: string, readonly object: ast.Node }[]} tests `'name' in object`, and types of members: `Type['name']`
 * @property {ast.ElementAccessExpression[]} elements
 * @property {ast.TypeNode[]} lookedUp types that are tables of other types: `Type[Name]`
 */

/** @param {readonly ast.Node[]} files @returns {Found} */
export function walk(files) {
  /** @type {Found} */
  const found = {
    ...{ members: [], reads: [], writes: [], patterns: [], literals: [] },
    ...{ spreads: [], tests: [], elements: [], lookedUp: [] },
  };
  /** @type {(node: ast.Node, within: string) => void} */
  const visit = (node, within) => {
    if (ast.isClassLikeDeclaration(node) || ast.isInterfaceDeclaration(node) || ast.isTypeLiteralNode(node))
      noteMembers(found, node, within);
    else noteUse(found, node);
    const inner = innerName(node, within);
    node.forEachChild((child) => visit(child, inner));
  };
  for (const file of files) visit(file, '');
  return found;
}

/** Names an anonymous type by its place. @param {ast.Node} node @param {string} within */
function innerName(node, within) {
  const names =
    ast.isClassLikeDeclaration(node) ||
    ast.isInterfaceDeclaration(node) ||
    ast.isTypeAliasDeclaration(node) ||
    ast.isFunctionDeclaration(node);
  const parts =
    ast.isMethodDeclaration(node) || ast.isMethodSignatureDeclaration(node) || ast.isPropertySignatureDeclaration(node);
  if (names) return node.name?.getText() ?? within;
  return parts ? `${within}.${node.name.getText()}` : within;
}

/** @param {Found} found @param {Member['owner']} owner @param {string} within */
function noteMembers({ members }, owner, within) {
  const given = !ast.isTypeLiteralNode(owner) || isGiven(owner);
  const ownerName = ast.isTypeLiteralNode(owner) ? within : (owner.name?.text ?? within);
  for (const node of owner.members) {
    const isMethod = ast.isMethodDeclaration(node) || ast.isMethodSignatureDeclaration(node);
    const isValue = ast.isPropertyDeclaration(node) || ast.isPropertySignatureDeclaration(node);
    const isMember = isMethod || isValue || ast.isGetAccessorDeclaration(node) || ast.isSetAccessorDeclaration(node);
    if (!isMember || !ast.isIdentifier(node.name) || isHidden(node)) continue;
    const isOptional =
      !ast.isClassLikeDeclaration(owner) &&
      (isMethod || isValue) &&
      node.postfixToken?.kind === SyntaxKind.QuestionToken;
    members.push({ node, name: node.name.text, owner, ownerName, isOptional, isGiven: given });
  }
}

/** @param {ast.Node} node */
function isHidden(node) {
  const { modifiers = [] } = /** @type {{ readonly modifiers?: readonly ast.Node[] }} */ (
    /** @type {unknown} */ (node)
  );
  return modifiers.some(({ kind }) => kind === SyntaxKind.PrivateKeyword || kind === SyntaxKind.ProtectedKeyword);
}

/**
 * True when a type literal describes a given value: a parameter, a part of a declared type, or a named type. What a
 * function answers goes elsewhere as a whole, and types that are computed with are nobody's.
 * @param {ast.Node} literal
 */
function isGiven(literal) {
  for (let node = literal; ; node = node.parent) {
    const above = node.parent;
    if (ast.isParameterDeclaration(above) || ast.isPropertyDeclaration(above) || ast.isInterfaceDeclaration(above))
      return true;
    if (ast.isTypeAliasDeclaration(above)) return true;
    if (ast.isTypeReferenceNode(above) && /^(?:Extract|Exclude)$/.test(above.typeName.getText())) return false;
    if (!partsOfTypes.has(above.kind)) return false;
  }
}

/** Kinds of nodes that may stand between a type literal and its declaration. */
const partsOfTypes = new Set([
  SyntaxKind.ArrayType,
  SyntaxKind.IntersectionType,
  SyntaxKind.ParenthesizedType,
  SyntaxKind.PropertySignature,
  SyntaxKind.TupleType,
  SyntaxKind.TypeLiteral,
  SyntaxKind.TypeOperator,
  SyntaxKind.TypeReference,
  SyntaxKind.UnionType,
]);

/** @param {Found} found @param {ast.Node} node */
function noteUse(found, node) {
  if (ast.isPropertyAccessExpression(node) && ast.isIdentifier(node.name))
    (isAssigned(node) ? found.writes : found.reads).push(node.name);
  else if (ast.isObjectBindingPattern(node)) found.patterns.push(node);
  else if (ast.isObjectLiteralExpression(node)) found.literals.push(node);
  else if (ast.isSpreadAssignment(node)) found.spreads.push(node);
  else if (ast.isElementAccessExpression(node)) found.elements.push(node);
  else if (ast.isIndexedAccessTypeNode(node)) noteIndexed(found, node);
  else if (
    ast.isBinaryExpression(node) &&
    node.operatorToken.kind === SyntaxKind.InKeyword &&
    ast.isStringLiteral(node.left)
  )
    found.tests.push({ name: node.left.text, object: node.right });
}

/** @param {Found} found @param {ast.IndexedAccessTypeNode} node */
function noteIndexed({ tests, lookedUp }, { objectType: object, indexType }) {
  const name =
    ast.isLiteralTypeNode(indexType) && ast.isStringLiteral(indexType.literal) ? indexType.literal.text : undefined;
  if (name === undefined) lookedUp.push(object);
  else tests.push({ name, object });
}

/** @param {ast.Node} node */
function isAssigned(node) {
  const { parent } = node;
  return ast.isBinaryExpression(parent) && parent.left === node && parent.operatorToken.kind === SyntaxKind.EqualsToken;
}
