// The shapes in which clients write the address of a node, brought to one: `queue`, `queue/$DeadLetterQueue`, `queue/$management`.

const SCHEME_AND_AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/[^/]*\/?/i;
const MANAGEMENT_SUFFIX = /\/\$management$/i;

export type NodeAddress =
  | { readonly kind: 'cbs' }
  | { readonly kind: 'management'; readonly entityPath: string }
  | { readonly kind: 'entity'; readonly entityPath: string };

/**
 * Reads a link address: bare (JavaScript, Java, Go), with a leading slash and percent-encoded (.NET), or a full URI
 * (Python). The entity path keeps the case it was written in.
 */
export function readAddress(address: string): NodeAddress {
  const path = decodePercent(address.replace(SCHEME_AND_AUTHORITY, '').replace(/^\/+|\/+$/g, ''));
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
