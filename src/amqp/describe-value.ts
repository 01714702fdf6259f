// AMQP values as error texts show them: type and value, cut when long.

import { entriesOf, itemsOf } from '../codec/read-value.js';
import type { AmqpValue } from '../codec/types.js';

const MAX_TEXT = 50;
const MAX_ITEMS = 3;
/** Names for types whose name in the codec says little. */
const NAMES: Readonly<Record<string, string>> = { vbin: 'binary', str: 'string', sym: 'symbol' };

export function describeValue(value: AmqpValue | undefined): string {
  const items = itemsOf(value);
  if (value === undefined || items === undefined || items.length === 0) return describeShortly(value);
  const shown = items.slice(0, MAX_ITEMS).map(describeShortly);
  if (items.length > MAX_ITEMS) shown.push('...');
  return `${describeShortly(value)}: ${shown.join(', ')}`;
}

/** Describes a value. A list, array or map is shown by its length only. */
function describeShortly(value: AmqpValue | undefined): string {
  if (value === undefined) return 'missing';
  const type = typeName(value);
  const { value: inner } = value;
  if (inner === null) return 'null';
  const length = entriesOf(value)?.length ?? itemsOf(value)?.length;
  if (length !== undefined) return `${type === 'array' ? 'an' : 'a'} ${type} of ${length}`;
  if (typeof inner === 'boolean') return String(inner);
  if (typeof inner === 'string') return `${type} ${JSON.stringify(cut(inner))}`;
  if (Buffer.isBuffer(inner)) return `${type} ${cut(inner.toString('hex'))}`;
  return `${type} ${String(inner)}`;
}

/** The type without the width of its encoding. */
function typeName({ type }: AmqpValue): string {
  const name = type.name
    .replace(/^Small/, '')
    .replace(/\d/g, '')
    .toLowerCase();
  return NAMES[name] ?? name;
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}...` : text;
}
