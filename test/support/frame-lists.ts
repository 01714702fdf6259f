// The described lists of AMQP 1.0, such as performatives and outcomes: one table of field names by position, to encode and to decode.

import type { Decoded } from './frame-decoder.js';
import { described, type Encoded, list, NULL, sym, ulong } from './frame-encoder.js';

const CAPABILITIES = ['offeredCapabilities', 'desiredCapabilities', 'properties'] as const;

const LISTS = {
  open: {
    code: 0x10,
    fields: [
      'containerId',
      'hostname',
      'maxFrameSize',
      'channelMax',
      'idleTimeOut',
      'outgoingLocales',
      'incomingLocales',
      ...CAPABILITIES,
    ],
  },
  begin: {
    code: 0x11,
    fields: [
      'remoteChannel',
      'nextOutgoingId',
      'incomingWindow',
      'outgoingWindow',
      'handleMax',
      ...CAPABILITIES,
    ],
  },
  attach: {
    code: 0x12,
    fields: [
      'name',
      'handle',
      'role',
      'sndSettleMode',
      'rcvSettleMode',
      'source',
      'target',
      'unsettled',
      'incompleteUnsettled',
      'initialDeliveryCount',
      'maxMessageSize',
      ...CAPABILITIES,
    ],
  },
  flow: {
    code: 0x13,
    fields: [
      'nextIncomingId',
      'incomingWindow',
      'nextOutgoingId',
      'outgoingWindow',
      'handle',
      'deliveryCount',
      'linkCredit',
      'available',
      'drain',
      'echo',
      'properties',
    ],
  },
  transfer: {
    code: 0x14,
    fields: [
      'handle',
      'deliveryId',
      'deliveryTag',
      'messageFormat',
      'settled',
      'more',
      'rcvSettleMode',
      'state',
      'resume',
      'aborted',
      'batchable',
    ],
  },
  disposition: { code: 0x15, fields: ['role', 'first', 'last', 'settled', 'state', 'batchable'] },
  detach: { code: 0x16, fields: ['handle', 'closed', 'error'] },
  end: { code: 0x17, fields: ['error'] },
  close: { code: 0x18, fields: ['error'] },
  error: { code: 0x1d, fields: ['condition', 'description', 'info'] },
  received: { code: 0x23, fields: ['sectionNumber', 'sectionOffset'] },
  accepted: { code: 0x24, fields: [] },
  rejected: { code: 0x25, fields: ['error'] },
  released: { code: 0x26, fields: [] },
  modified: { code: 0x27, fields: ['deliveryFailed', 'undeliverableHere', 'messageAnnotations'] },
  source: {
    code: 0x28,
    fields: [
      'address',
      'durable',
      'expiryPolicy',
      'timeout',
      'dynamic',
      'dynamicNodeProperties',
      'distributionMode',
      'filter',
      'defaultOutcome',
      'outcomes',
      'capabilities',
    ],
  },
  target: {
    code: 0x29,
    fields: [
      'address',
      'durable',
      'expiryPolicy',
      'timeout',
      'dynamic',
      'dynamicNodeProperties',
      'capabilities',
    ],
  },
  coordinator: { code: 0x30, fields: ['capabilities'] },
  declare: { code: 0x31, fields: ['globalId'] },
  discharge: { code: 0x32, fields: ['transactionId', 'fail'] },
  declared: { code: 0x33, fields: ['transactionId'] },
  'transactional-state': { code: 0x34, fields: ['transactionId', 'outcome'] },
  'sasl-mechanisms': { code: 0x40, fields: ['mechanisms'] },
  'sasl-init': { code: 0x41, fields: ['mechanism', 'initialResponse', 'hostname'] },
  'sasl-outcome': { code: 0x44, fields: ['code', 'additionalData'] },
  header: { code: 0x70, fields: ['durable', 'priority', 'ttl', 'firstAcquirer', 'deliveryCount'] },
  properties: {
    code: 0x73,
    fields: [
      'messageId',
      'userId',
      'to',
      'subject',
      'replyTo',
      'correlationId',
      'contentType',
      'contentEncoding',
      'absoluteExpiryTime',
      'creationTime',
      'groupId',
      'groupSequence',
      'replyToGroupId',
    ],
  },
} as const;

export type ListName = keyof typeof LISTS;
type FieldName<N extends ListName> = (typeof LISTS)[N]['fields'][number];
/** The list is written up to the last field named here; give `NULL` for trailing nulls. */
export type Fields<N extends ListName> = Partial<Record<FieldName<N>, Encoded>>;

export type ListShape = {
  /** Lists in the 32-bit form, also where the 8-bit form would do. */
  readonly isWide?: boolean;
  readonly descriptor?: 'ulong' | 'symbol';
};

export function fieldNamesOf<N extends ListName>(name: N): readonly FieldName<N>[] {
  return LISTS[name].fields;
}

/** A described list with exactly the fields given. */
export function composite<N extends ListName>(
  name: N,
  given: Fields<N> = {},
  shape: ListShape = {},
): Encoded {
  const { code, fields } = LISTS[name];
  const names: readonly string[] = fields;
  const values = given as Record<string, Encoded | undefined>;
  const length = names.findLastIndex((each) => values[each] !== undefined) + 1;
  const items = names.slice(0, length).map((each) => values[each] ?? NULL);
  const descriptor = shape.descriptor === 'symbol' ? sym(`amqp:${name}:list`) : ulong(code);
  return described(descriptor, list(items, shape.isWide));
}

export type ReadList = {
  readonly name: ListName;
  /** Fields by position, as many as there were. */
  readonly positions: readonly Decoded[];
  /** By name; undefined when the list ended before it. */
  field(name: string): Decoded | undefined;
};

/** The described list that `decoded` is; throws when it is none of the table. */
export function readList(decoded: Decoded | undefined): ReadList {
  if (decoded?.type !== 'described' || decoded.value.type !== 'list') {
    throw new Error(`a described list is expected, not ${decoded?.type ?? 'nothing'}`);
  }
  const name = nameOfDescriptor(decoded.descriptor);
  if (name === undefined) throw new Error(`an unknown list: ${String(decoded.descriptor.value)}`);
  const fields: readonly string[] = LISTS[name].fields;
  const positions = decoded.value.value;
  if (positions.length > fields.length) throw new Error(`${name} has ${positions.length} fields`);
  return { name, positions, field: (each) => positions[indexOf(fields, each)] };
}

export function nameOfDescriptor(descriptor: Decoded): ListName | undefined {
  const names = Object.keys(LISTS) as ListName[];
  if (descriptor.type === 'ulong') return names.find((name) => BigInt(LISTS[name].code) === descriptor.value);
  if (descriptor.type === 'symbol') return names.find((name) => descriptor.value === `amqp:${name}:list`);
  return undefined;
}

function indexOf(fields: readonly string[], name: string): number {
  const index = fields.indexOf(name);
  if (index < 0) throw new Error(`there is no field ${name}`);
  return index;
}
