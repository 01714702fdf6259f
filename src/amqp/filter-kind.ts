// Which filter an entry of a source's filter map is: by the descriptor of its value; by its key only where that says nothing.

import { integerOf, textOf } from '../codec/read-value.js';
import type { AmqpValue } from '../codec/types.js';

export type FilterKind = 'session' | 'non-exclusive-session' | 'selector' | 'no-local';

/** Descriptors in both their forms. A client may write them under any key it likes (AMQP 3.5.8). */
const BY_DESCRIPTOR = new Map<string | number | undefined, FilterKind>([
  [0x137000000c, 'session'],
  ['com.microsoft:session-filter', 'session'],
  ['com.microsoft:session-filter:string', 'session'],
  [0x137000000e, 'non-exclusive-session'],
  ['com.microsoft:non-exclusive-session-filter:list', 'non-exclusive-session'],
  [0x468c00000004, 'selector'],
  ['apache.org:selector-filter:string', 'selector'],
  [0x468c00000003, 'no-local'],
  ['apache.org:no-local-filter:list', 'no-local'],
]);

/** Most of Azure's SDKs do not describe their filters. */
const BY_KEY = new Map<string | undefined, FilterKind>([
  ['com.microsoft:session-filter', 'session'],
  ['com.microsoft:non-exclusive-session-filter', 'non-exclusive-session'],
  ['jms-selector', 'selector'],
  ['apache.org:selector-filter:string', 'selector'],
]);

/** Undefined: a filter that is not known here. */
export function filterKindOf([key, { descriptor }]: readonly [AmqpValue, AmqpValue]): FilterKind | undefined {
  return BY_DESCRIPTOR.get(integerOf(descriptor) ?? textOf(descriptor)) ?? BY_KEY.get(textOf(key));
}
