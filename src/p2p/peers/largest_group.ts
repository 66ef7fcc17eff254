/** Those of the groups that have the most members, in their order: of several groups with as many all. */
export function largestGroup<T>(members: Iterable<T>, groupOf: (member: T) => string): T[] {
  const all = [...members];
  const sizes = new Map<string, number>();
  for (const member of all) sizes.set(groupOf(member), (sizes.get(groupOf(member)) ?? 0) + 1);
  const largest = Math.max(...sizes.values());
  return all.filter((member) => sizes.get(groupOf(member)) === largest);
}
