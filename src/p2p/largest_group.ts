/** Those of the group that has the most members; the first such group when several have as many. */
export function largestGroup<T>(members: Iterable<T>, groupOf: (member: T) => string): T[] {
  const groups = new Map<string, T[]>();
  for (const member of members) {
    const group = groupOf(member);
    const known = groups.get(group);
    if (known === undefined) groups.set(group, [member]);
    else known.push(member);
  }
  let largest: T[] = [];
  for (const group of groups.values()) if (group.length > largest.length) largest = group;
  return largest;
}
