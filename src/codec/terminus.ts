// Sources and targets of links (AMQP 3.5, 4.5.1). Decodes only the fields that a server needs; answers repeat the encoded bytes.

import { ByteWriter } from './byte-writer.js';
import { DecodeError } from './decode-error.js';
import { type Field, listItems, readFields, writeFields } from './fields.js';
import { readDescriptor } from './performatives.js';
import type { AmqpValue } from './types.js';

export type Terminus = {
  readonly kind: 'source' | 'target' | 'coordinator';
  readonly address: string | undefined;
  readonly durable: number;
  readonly expiryPolicy: string | undefined;
  readonly dynamic: boolean;
  /** Only a source has one. */
  readonly distributionMode: string | undefined;
  readonly filter: AmqpValue | undefined;
  readonly capabilities: readonly string[] | undefined;
};

const TERMINUS_FIELDS: readonly Field[] = [
  { name: 'address', type: 'string' },
  { name: 'durable', type: 'uint', default: 0 },
  { name: 'expiryPolicy', type: 'symbol' },
  { name: 'timeout', type: 'uint', default: 0 },
  { name: 'dynamic', type: 'boolean', default: false },
  { name: 'dynamicNodeProperties', type: 'map' },
];

const SOURCE_FIELDS: readonly Field[] = [
  ...TERMINUS_FIELDS,
  { name: 'distributionMode', type: 'symbol' },
  { name: 'filter', type: 'map' },
  { name: 'defaultOutcome', type: 'raw' },
  { name: 'outcomes', type: 'symbols' },
  { name: 'capabilities', type: 'symbols' },
];

const TARGET_FIELDS: readonly Field[] = [...TERMINUS_FIELDS, { name: 'capabilities', type: 'symbols' }];
const COORDINATOR_FIELDS: readonly Field[] = [{ name: 'capabilities', type: 'symbols' }];

const COORDINATOR = 0x30;

type Kind = readonly [Terminus['kind'], readonly Field[]];

const KINDS: ReadonlyMap<number | string, Kind> = new Map<number | string, Kind>([
  [0x28, ['source', SOURCE_FIELDS]],
  ['amqp:source:list', ['source', SOURCE_FIELDS]],
  [0x29, ['target', TARGET_FIELDS]],
  ['amqp:target:list', ['target', TARGET_FIELDS]],
  [COORDINATOR, ['coordinator', COORDINATOR_FIELDS]],
  ['amqp:coordinator:list', ['coordinator', COORDINATOR_FIELDS]],
]);

const FILTER_INDEX = SOURCE_FIELDS.findIndex(({ name }) => name === 'filter');
const MODE_INDEX = SOURCE_FIELDS.findIndex(({ name }) => name === 'distributionMode');

type AnsweredFields = {
  /** Undefined writes a null filter. */
  readonly filter: AmqpValue | undefined;
  /** False writes a null distribution mode. */
  readonly keepsMode: boolean;
};

/** Encodes a source for an answer. These fields are replaced if the source has them; all others are copied. */
export function answeredSource(source: Uint8Array, { filter, keepsMode }: AnsweredFields): Buffer {
  const { next } = readDescriptor(source, 0, source.length);
  const items = listItems(source, next, source.length, 'source');
  const writer = new ByteWriter(source.length + 16);
  writer.bytes(source.subarray(0, next));
  writer.compound32(0xd0, () => {
    for (const [index, item] of items.entries()) {
      if (index === FILTER_INDEX && filter !== undefined) writer.value(filter);
      else if (index === FILTER_INDEX || (index === MODE_INDEX && !keepsMode)) writer.null();
      else writer.bytes(item);
    }
    return items.length;
  });
  return writer.take();
}

/** Decodes a source or target field; undefined if the field is absent. */
export function decodeTerminus(bytes: Uint8Array | undefined): Terminus | undefined {
  if (bytes === undefined) return undefined;
  const { descriptor, next } = readDescriptor(bytes, 0, bytes.length);
  const known = KINDS.get(descriptor);
  if (known === undefined)
    throw new DecodeError(`${descriptor} is not a source or target`, 'amqp:invalid-field');
  const [kind, fields] = known;
  const { values } = readFields(bytes, next, bytes.length, { what: kind, fields });
  return {
    kind,
    address: values.address as string | undefined,
    durable: (values.durable as number | undefined) ?? 0,
    expiryPolicy: values.expiryPolicy as string | undefined,
    dynamic: values.dynamic === true,
    distributionMode: values.distributionMode as string | undefined,
    filter: values.filter as AmqpValue | undefined,
    capabilities: values.capabilities as readonly string[] | undefined,
  };
}

/** The target of a control link. */
export function encodeCoordinator(capabilities: readonly string[]): Buffer {
  const writer = new ByteWriter(128);
  writer.descriptor(COORDINATOR);
  writeFields(writer, COORDINATOR_FIELDS, { capabilities });
  return writer.take();
}
