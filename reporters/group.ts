/** Items by key, in the order in which keys and items come (Map.groupBy, which Node 20 does not have). */
export function groupBy<Key, Item>(items: readonly Item[], key: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const group = groups.get(key(item))
    if (group) group.push(item)
    else groups.set(key(item), [item])
  }
  return groups
}
