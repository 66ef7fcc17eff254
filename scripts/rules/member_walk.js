import {
  isBinaryExpression,
  isClassLikeDeclaration,
  isElementAccessExpression,
  isFunctionDeclaration,
  isGetAccessorDeclaration,
  isIdentifier,
  isIndexedAccessTypeNode,
  isInterfaceDeclaration,
  isLiteralTypeNode,
  isMethodDeclaration,
  isMethodSignatureDeclaration,
  isObjectBindingPattern,
  isObjectLiteralExpression,
  isParameterDeclaration,
  isPropertyAccessExpression,
  isPropertyDeclaration,
  isPropertySignatureDeclaration,
  isSetAccessorDeclaration,
  isSpreadAssignment,
  isStringLiteral,
  isTypeAliasDeclaration,
  isTypeLiteralNode,
  isTypeReferenceNode,
  SyntaxKind,
} from 'typescript/unstable/ast';

/**
 * @typedef {import('typescript/unstable/ast').Node} Node
 * @typedef {import('typescript/unstable/ast').Identifier} Identifier
 * @typedef {import('typescript/unstable/ast').Expression} Expression
 * @typedef {import('typescript/unstable/ast').ClassLikeDeclaration} ClassLikeDeclaration
 * @typedef {import('typescript/unstable/ast').InterfaceDeclaration} InterfaceDeclaration
 * @typedef {import('typescript/unstable/ast').TypeLiteralNode} TypeLiteralNode
 */

/**
 * A member that others can see.
 * @typedef {object} Member
 * @property {Node} node
 * @property {string} name
 * @property {ClassLikeDeclaration | InterfaceDeclaration | TypeLiteralNode} owner
 * @property {string} ownerName the type's, or the function's that takes it
 * @property {boolean} isOptional and so might never be set
 * @property {boolean} isGiven somebody gives it; otherwise it only shows how members of other types are used
 */

/**
 * What is declared in some files, and every place that may read or set a member.
 * @typedef {object} Found
 * @property {Member[]} members
 * @property {Identifier[]} reads names behind a dot
 * @property {Identifier[]} writes the same, left of an equals sign
 * @property {import('typescript/unstable/ast').ObjectBindingPattern[]} patterns
 * @property {import('typescript/unstable/ast').ObjectLiteralExpression[]} literals
 * @property {import('typescript/unstable/ast').SpreadAssignment[]} spreads
 * @property {{ readonly name: string, readonly object: Node }[]} tests `'name' in object`, and types of members: `Type['name']`
 * @property {import('typescript/unstable/ast').ElementAccessExpression[]} elements
 * @property {import('typescript/unstable/ast').TypeNode[]} lookedUp types that are tables of other types: `Type[Name]`
 */

/** @param {readonly Node[]} files @returns {Found} */
export function walk(files) {
  /** @type {Found} */
  const found = { members: [], reads: [], writes: [], patterns: [], literals: [], spreads: [], tests: [], elements: [], lookedUp: [] };
  /** @type {(node: Node, within: string) => void} */
  const visit = (node, within) => {
    if (isClassLikeDeclaration(node) || isInterfaceDeclaration(node) || isTypeLiteralNode(node)) noteMembers(found, node, within);
    else noteUse(found, node);
    const inner = innerName(node, within);
    node.forEachChild((child) => visit(child, inner));
  };
  for (const file of files) visit(file, '');
  return found;
}

/** What a type without a name goes by: where it stands. @param {Node} node @param {string} within */
function innerName(node, within) {
  const names = isClassLikeDeclaration(node) || isInterfaceDeclaration(node) || isTypeAliasDeclaration(node) || isFunctionDeclaration(node);
  const parts = isMethodDeclaration(node) || isMethodSignatureDeclaration(node) || isPropertySignatureDeclaration(node);
  if (names) return node.name?.getText() ?? within;
  return parts ? `${within}.${node.name.getText()}` : within;
}

/** @param {Found} found @param {Member['owner']} owner @param {string} within */
function noteMembers({ members }, owner, within) {
  const given = !isTypeLiteralNode(owner) || isGiven(owner);
  const ownerName = isTypeLiteralNode(owner) ? within : (owner.name?.text ?? within);
  for (const node of owner.members) {
    const isMethod = isMethodDeclaration(node) || isMethodSignatureDeclaration(node);
    const isValue = isPropertyDeclaration(node) || isPropertySignatureDeclaration(node);
    const isMember = isMethod || isValue || isGetAccessorDeclaration(node) || isSetAccessorDeclaration(node);
    if (!isMember || !isIdentifier(node.name) || isHidden(node)) continue;
    const isOptional = !isClassLikeDeclaration(owner) && (isMethod || isValue) && node.postfixToken?.kind === SyntaxKind.QuestionToken;
    members.push({ node, name: node.name.text, owner, ownerName, isOptional, isGiven: given });
  }
}

/** @param {Node} node */
function isHidden(node) {
  const { modifiers = [] } = /** @type {{ readonly modifiers?: readonly Node[] }} */ (/** @type {unknown} */ (node));
  return modifiers.some(({ kind }) => kind === SyntaxKind.PrivateKeyword || kind === SyntaxKind.ProtectedKeyword);
}

/**
 * Whether a type literal says what somebody gives: as a parameter, as a part of a declared type, or under a name. What a function
 * answers goes elsewhere as a whole, and types that are computed with are nobody's.
 * @param {Node} literal
 */
function isGiven(literal) {
  for (let node = literal; ; node = node.parent) {
    const above = node.parent;
    if (isParameterDeclaration(above) || isPropertyDeclaration(above) || isInterfaceDeclaration(above)) return true;
    if (isTypeAliasDeclaration(above)) return true;
    if (isTypeReferenceNode(above) && /^(?:Extract|Exclude)$/.test(above.typeName.getText())) return false;
    if (!partsOfTypes.has(above.kind)) return false;
  }
}

/** What may stand between a type literal and what it is the type of. */
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

/** @param {Found} found @param {Node} node */
function noteUse(found, node) {
  if (isPropertyAccessExpression(node) && isIdentifier(node.name)) (isAssigned(node) ? found.writes : found.reads).push(node.name);
  else if (isObjectBindingPattern(node)) found.patterns.push(node);
  else if (isObjectLiteralExpression(node)) found.literals.push(node);
  else if (isSpreadAssignment(node)) found.spreads.push(node);
  else if (isElementAccessExpression(node)) found.elements.push(node);
  else if (isIndexedAccessTypeNode(node)) noteIndexed(found, node);
  else if (isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.InKeyword && isStringLiteral(node.left))
    found.tests.push({ name: node.left.text, object: node.right });
}

/** @param {Found} found @param {import('typescript/unstable/ast').IndexedAccessTypeNode} node */
function noteIndexed({ tests, lookedUp }, { objectType: object, indexType }) {
  const name = isLiteralTypeNode(indexType) && isStringLiteral(indexType.literal) ? indexType.literal.text : undefined;
  if (name === undefined) lookedUp.push(object);
  else tests.push({ name, object });
}

/** @param {Node} node */
function isAssigned(node) {
  const { parent } = node;
  return isBinaryExpression(parent) && parent.left === node && parent.operatorToken.kind === SyntaxKind.EqualsToken;
}
