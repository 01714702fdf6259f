// Reads the path of an entity as people type it: `events/audit` is the subscription `audit` of `events`, unless a queue or topic has this name.

/** The path without its sub-queue. */
export function ownerOf(path: string): string {
  return path.split('/$', 1)[0] ?? '';
}

/** The path in full. `isThere` tells whether a queue, topic or subscription has a path. */
export async function fullPath(path: string, isThere: (owner: string) => Promise<boolean>): Promise<string> {
  const owner = ownerOf(path);
  const subscription = subscriptionIn(owner);
  if (subscription === undefined || (await isThere(owner)) || !(await isThere(subscription))) return path;
  return subscription + path.slice(owner.length);
}

/** A sentence for a path that is not there yet, if it may be the short one of a subscription: that one is not found by it when it comes. */
export function hintInFull(path: string): string[] {
  const owner = ownerOf(path);
  const subscription = subscriptionIn(owner);
  if (subscription === undefined) return [];
  return [`If it is to be a subscription, give '${subscription}${path.slice(owner.length)}'.`];
}

/** `events/Subscriptions/audit` for `events/audit`; undefined for a path without a slash, and for a path in full. */
export function subscriptionIn(owner: string): string | undefined {
  const at = owner.lastIndexOf('/');
  if (at <= 0 || /\/subscriptions$/i.test(owner.slice(0, at))) return undefined;
  return `${owner.slice(0, at)}/Subscriptions${owner.slice(at)}`;
}
