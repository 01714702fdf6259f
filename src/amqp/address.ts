// The shapes in which clients write the address of a node, brought to one: `queue`, `queue/$DeadLetterQueue`,
// `topic/Subscriptions/subscription`, each also with `/$management` behind it.

/** As JMS programs write a destination: what follows is the name. */
const DESTINATION_SCHEME = /^(?:queue|topic):\/\//i;
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
 * (Python), or with the kind of its destination in front (JMS, `queue://orders`). The entity path keeps its case.
 */
export function readAddress(address: string): NodeAddress {
  const prefix = DESTINATION_SCHEME.test(address) ? DESTINATION_SCHEME : SCHEME_AND_AUTHORITY;
  const path = decodePercent(withoutOuterSlashes(address.replace(prefix, '')));
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
