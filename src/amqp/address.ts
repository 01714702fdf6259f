// The shapes in which clients write the address of a node, brought to one: `queue`, `queue/$DeadLetterQueue`,
// `topic/Subscriptions/subscription`, each also with `/$management` behind it.

const SCHEME_AND_AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/[^/]*\/?/i;
const MANAGEMENT_SUFFIX = /\/\$management$/i;

export type NodeAddress =
  | { readonly kind: 'cbs' }
  | { readonly kind: 'management'; readonly entityPath: string }
  | { readonly kind: 'entity'; readonly entityPath: string };

/** Not by a regular expression: on 64 KB of inner slashes it would take four seconds. */
function withoutOuterSlashes(text: string): string {
  let start = 0;
  let end = text.length;
  while (text[start] === '/') start += 1;
  while (end > start && text[end - 1] === '/') end -= 1;
  return text.slice(start, end);
}

/**
 * Reads a link address: bare (JavaScript, Java, Go), with a leading slash and percent-encoded (.NET), or a full URI
 * (Python). The entity path keeps the case it was written in.
 */
export function readAddress(address: string): NodeAddress {
  const path = decodePercent(withoutOuterSlashes(address.replace(SCHEME_AND_AUTHORITY, '')));
  if (path.toLowerCase() === '$cbs') return { kind: 'cbs' };
  if (MANAGEMENT_SUFFIX.test(path)) {
    return { kind: 'management', entityPath: path.replace(MANAGEMENT_SUFFIX, '') };
  }
  return { kind: 'entity', entityPath: path };
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that encodes nothing is part of the name.
    return text;
  }
}
