// Sources and targets of links (AMQP 3.5, 4.5.1). Decodes only the fields that a server needs; answers repeat the encoded bytes.

import { ByteWriter } from './byte-writer.js';
import { DecodeError } from './decode-error.js';
import { type Field, listItems, readFields, writeFields } from './fields.js';
import { readDescriptor } from './performatives.js';
import { type AmqpValue, amqp } from './types.js';

export type Terminus = {
  readonly kind: 'source' | 'target' | 'coordinator';
  readonly address: string | undefined;
  readonly durable: number;
  readonly expiryPolicy: string | undefined;
  readonly dynamic: boolean;
  /** How a dynamic node is to be made. */
  readonly dynamicNodeProperties: AmqpValue | undefined;
  /** Only a source has one. */
  readonly distributionMode: string | undefined;
  readonly filter: AmqpValue | undefined;
  /** Encoded; only a source has one. */
  readonly defaultOutcome: Uint8Array | undefined;
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

const SOURCE = 0x28;
const COORDINATOR = 0x30;

type Kind = readonly [Terminus['kind'], readonly Field[]];

const KINDS: ReadonlyMap<number | string, Kind> = new Map<number | string, Kind>([
  [SOURCE, ['source', SOURCE_FIELDS]],
  ['amqp:source:list', ['source', SOURCE_FIELDS]],
  [0x29, ['target', TARGET_FIELDS]],
  ['amqp:target:list', ['target', TARGET_FIELDS]],
  [COORDINATOR, ['coordinator', COORDINATOR_FIELDS]],
  ['amqp:coordinator:list', ['coordinator', COORDINATOR_FIELDS]],
]);

const FILTER_INDEX = SOURCE_FIELDS.findIndex(({ name }) => name === 'filter');
const ADDRESS_INDEX = TERMINUS_FIELDS.findIndex(({ name }) => name === 'address');
const MODE_INDEX = SOURCE_FIELDS.findIndex(({ name }) => name === 'distributionMode');

type AnsweredFields = {
  /** Undefined writes a null filter. */
  readonly filter: AmqpValue | undefined;
  /** False writes a null distribution mode. */
  readonly keepsMode: boolean;
};

/** Encodes a source for an answer. These fields are replaced if the source has them; all others are copied. */
export function answeredSource(source: Uint8Array, { filter, keepsMode }: AnsweredFields): Buffer {
  return copied(source, (index, writer) => {
    if (index === FILTER_INDEX && filter !== undefined) writer.value(filter);
    else if (index === FILTER_INDEX || (index === MODE_INDEX && !keepsMode)) writer.null();
    else return false;
    return true;
  });
}

/** Encodes a source or target for an answer: the client's own, with the address of the node that was made for it. */
export function withAddress(terminus: Uint8Array, address: string): Buffer {
  return copied(terminus, (index, writer) => {
    if (index !== ADDRESS_INDEX) return false;
    writer.value(amqp.string(address));
    return true;
  });
}

/** Encodes a source of a durable subscription of JMS. */
export function encodeSubscriptionSource(
  address: string,
  capabilities: readonly string[],
  filter: AmqpValue | undefined,
): Buffer {
  const writer = new ByteWriter(128);
  writer.descriptor(SOURCE);
  const fields = {
    address,
    durable: 2,
    expiryPolicy: 'never',
    distributionMode: 'copy',
    filter,
    capabilities,
  };
  writeFields(writer, SOURCE_FIELDS, fields);
  return writer.take();
}

/** Copies a terminus. `replace` writes an item itself and returns true, or leaves it to be copied. */
function copied(terminus: Uint8Array, replace: (index: number, writer: ByteWriter) => boolean): Buffer {
  const { next } = readDescriptor(terminus, 0, terminus.length);
  const items = listItems(terminus, next, terminus.length, 'source or target');
  const writer = new ByteWriter(terminus.length + 64);
  writer.bytes(terminus.subarray(0, next));
  writer.compound32(0xd0, () => {
    for (const [index, item] of items.entries()) if (!replace(index, writer)) writer.bytes(item);
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
    dynamicNodeProperties: values.dynamicNodeProperties as AmqpValue | undefined,
    distributionMode: values.distributionMode as string | undefined,
    filter: values.filter as AmqpValue | undefined,
    defaultOutcome: values.defaultOutcome as Uint8Array | undefined,
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
