// The places of events that happened at the same time: beside each other, so that their lines never coincide.

const GAP_PX = 8;

/** An event and the place of its time. */
export type Placed = { readonly id: number; readonly at: number; readonly x: number };

/**
 * The places of events, which come in their order. What has one time is spread by 8 pixels each, and never further than `most`
 * from its true place; all keep their order.
 */
export function spread(events: readonly Placed[], most: number): ReadonlyMap<number, number> {
  const places = new Map<number, number>();
  const sizes = new Map<number, number>();
  for (const { at } of events) sizes.set(at, (sizes.get(at) ?? 0) + 1);
  let last: { readonly at: number; readonly x: number } | undefined;
  for (const { id, at, x } of events) {
    if (places.has(id)) continue;
    const gap = last?.at === at ? Math.min(GAP_PX, most / (sizes.get(at) ?? 1)) : 0;
    const place = last === undefined ? x : Math.min(Math.max(x, last.x + gap), x + most);
    places.set(id, place);
    last = { at, x: place };
  }
  return places;
}
