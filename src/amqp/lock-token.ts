// A lock token in its two orders of bytes: as read (RFC 4122) in text and uuids, as .NET's Guid in delivery tags.

const TAG_BYTES = 16;
/** Where byte i of the delivery tag stands in the token as read; the mapping is its own inverse. */
const GUID_ORDER = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15] as const;

/** The delivery tag of a token of 32 hexadecimal digits. */
export function tagOfToken(token: string): Buffer {
  const bytes = Buffer.from(token, 'hex');
  const tag = Buffer.allocUnsafe(TAG_BYTES);
  for (let index = 0; index < TAG_BYTES; index++) tag[index] = bytes[GUID_ORDER[index] as number] as number;
  return tag;
}
