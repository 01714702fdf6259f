// The AMQP and SASL performatives: their types, and one table of their fields (AMQP 2.7, 5.3.3).

import type { ByteWriter } from './byte-writer.js';
import { DecodeError } from './decode-error.js';
import { type Field, type FieldValues, readFields, writeFields } from './fields.js';
import { scanValue } from './scan.js';
import { type AmqpValue, asBuffer, decodeValue } from './types.js';

export type AmqpError = {
  readonly condition: string;
  readonly description: string | undefined;
  /** The encoded map. */
  readonly info?: Uint8Array | undefined;
};

export type Open = {
  readonly kind: 'open';
  readonly containerId: string;
  readonly hostname?: string | undefined;
  readonly maxFrameSize: number;
  readonly channelMax: number;
  readonly idleTimeOut?: number | undefined;
  readonly outgoingLocales?: readonly string[] | undefined;
  readonly incomingLocales?: readonly string[] | undefined;
  readonly offeredCapabilities?: readonly string[] | undefined;
  readonly desiredCapabilities?: readonly string[] | undefined;
  readonly properties?: AmqpValue | undefined;
};

export type Begin = {
  readonly kind: 'begin';
  readonly remoteChannel?: number | undefined;
  readonly nextOutgoingId: number;
  readonly incomingWindow: number;
  readonly outgoingWindow: number;
  readonly handleMax: number;
  readonly offeredCapabilities?: readonly string[] | undefined;
  readonly desiredCapabilities?: readonly string[] | undefined;
  readonly properties?: AmqpValue | undefined;
};

export type Attach = {
  readonly kind: 'attach';
  readonly name: string;
  readonly handle: number;
  /** True when its writer is the receiver. */
  readonly role: boolean;
  readonly sndSettleMode: number;
  readonly rcvSettleMode: number;
  /** The encoded source; the target below is encoded, too. */
  readonly source?: Buffer | undefined;
  readonly target?: Buffer | undefined;
  readonly unsettled?: AmqpValue | undefined;
  readonly incompleteUnsettled: boolean;
  readonly initialDeliveryCount?: number | undefined;
  readonly maxMessageSize?: number | undefined;
  readonly offeredCapabilities?: readonly string[] | undefined;
  readonly desiredCapabilities?: readonly string[] | undefined;
  readonly properties?: AmqpValue | undefined;
};

export type Flow = {
  readonly kind: 'flow';
  readonly nextIncomingId?: number | undefined;
  readonly incomingWindow: number;
  readonly nextOutgoingId: number;
  readonly outgoingWindow: number;
  readonly handle?: number | undefined;
  readonly deliveryCount?: number | undefined;
  readonly linkCredit?: number | undefined;
  readonly available?: number | undefined;
  readonly drain: boolean;
  readonly echo: boolean;
  readonly properties?: AmqpValue | undefined;
};

export type Transfer = {
  readonly kind: 'transfer';
  readonly handle: number;
  readonly deliveryId?: number | undefined;
  readonly deliveryTag?: Buffer | undefined;
  readonly messageFormat?: number | undefined;
  readonly settled?: boolean | undefined;
  readonly more: boolean;
  readonly rcvSettleMode?: number | undefined;
  readonly state?: Buffer | undefined;
  readonly resume: boolean;
  readonly aborted: boolean;
  readonly batchable: boolean;
};

export type Disposition = {
  readonly kind: 'disposition';
  /** True when its writer is the receiver. */
  readonly role: boolean;
  readonly first: number;
  readonly last?: number | undefined;
  readonly settled: boolean;
  readonly state?: Buffer | undefined;
  readonly batchable: boolean;
};

export type Detach = {
  readonly kind: 'detach';
  readonly handle: number;
  readonly closed: boolean;
  readonly error?: Buffer | undefined;
};

export type End = { readonly kind: 'end'; readonly error?: Buffer | undefined };
export type Close = { readonly kind: 'close'; readonly error?: Buffer | undefined };
type SaslMechanisms = { readonly kind: 'sasl-mechanisms'; readonly mechanisms: readonly string[] };
type SaslInit = {
  readonly kind: 'sasl-init';
  readonly mechanism: string;
  readonly initialResponse?: Buffer | undefined;
  readonly hostname?: string | undefined;
};
type SaslResponse = { readonly kind: 'sasl-response'; readonly response: Buffer };
type SaslOutcome = { readonly kind: 'sasl-outcome'; readonly code: number };

export type AmqpPerformative = Open | Begin | Attach | Flow | Transfer | Disposition | Detach | End | Close;
type SaslPerformative = SaslMechanisms | SaslInit | SaslResponse | SaslOutcome;
export type Performative = AmqpPerformative | SaslPerformative;

type Row = { readonly code: number; readonly symbol: string; readonly fields: readonly Field[] };

const LINK_CAPABILITIES: readonly Field[] = [
  { name: 'offeredCapabilities', type: 'symbols' },
  { name: 'desiredCapabilities', type: 'symbols' },
  { name: 'properties', type: 'map' },
];

const TABLE: Readonly<Record<Performative['kind'], Row>> = {
  open: {
    code: 0x10,
    symbol: 'amqp:open:list',
    fields: [
      { name: 'containerId', type: 'string', mandatory: true },
      { name: 'hostname', type: 'string' },
      { name: 'maxFrameSize', type: 'uint', default: 0xffffffff },
      { name: 'channelMax', type: 'ushort', default: 0xffff },
      { name: 'idleTimeOut', type: 'uint' },
      { name: 'outgoingLocales', type: 'symbols' },
      { name: 'incomingLocales', type: 'symbols' },
      ...LINK_CAPABILITIES,
    ],
  },
  begin: {
    code: 0x11,
    symbol: 'amqp:begin:list',
    fields: [
      { name: 'remoteChannel', type: 'ushort' },
      { name: 'nextOutgoingId', type: 'uint', mandatory: true },
      { name: 'incomingWindow', type: 'uint', mandatory: true },
      { name: 'outgoingWindow', type: 'uint', mandatory: true },
      { name: 'handleMax', type: 'uint', default: 0xffffffff },
      ...LINK_CAPABILITIES,
    ],
  },
  attach: {
    code: 0x12,
    symbol: 'amqp:attach:list',
    fields: [
      { name: 'name', type: 'string', mandatory: true },
      { name: 'handle', type: 'uint', mandatory: true },
      { name: 'role', type: 'boolean', mandatory: true },
      { name: 'sndSettleMode', type: 'ubyte', default: 2 },
      { name: 'rcvSettleMode', type: 'ubyte', default: 0 },
      { name: 'source', type: 'raw' },
      { name: 'target', type: 'raw' },
      { name: 'unsettled', type: 'map' },
      { name: 'incompleteUnsettled', type: 'boolean', default: false },
      { name: 'initialDeliveryCount', type: 'uint' },
      { name: 'maxMessageSize', type: 'ulong' },
      ...LINK_CAPABILITIES,
    ],
  },
  flow: {
    code: 0x13,
    symbol: 'amqp:flow:list',
    fields: [
      { name: 'nextIncomingId', type: 'uint' },
      { name: 'incomingWindow', type: 'uint', mandatory: true },
      { name: 'nextOutgoingId', type: 'uint', mandatory: true },
      { name: 'outgoingWindow', type: 'uint', mandatory: true },
      { name: 'handle', type: 'uint' },
      { name: 'deliveryCount', type: 'uint' },
      { name: 'linkCredit', type: 'uint' },
      { name: 'available', type: 'uint' },
      { name: 'drain', type: 'boolean', default: false },
      { name: 'echo', type: 'boolean', default: false },
      { name: 'properties', type: 'map' },
    ],
  },
  transfer: {
    code: 0x14,
    symbol: 'amqp:transfer:list',
    fields: [
      { name: 'handle', type: 'uint', mandatory: true },
      { name: 'deliveryId', type: 'uint' },
      { name: 'deliveryTag', type: 'binary' },
      { name: 'messageFormat', type: 'uint' },
      { name: 'settled', type: 'boolean' },
      { name: 'more', type: 'boolean', default: false },
      { name: 'rcvSettleMode', type: 'ubyte' },
      { name: 'state', type: 'raw' },
      { name: 'resume', type: 'boolean', default: false },
      { name: 'aborted', type: 'boolean', default: false },
      { name: 'batchable', type: 'boolean', default: false },
    ],
  },
  disposition: {
    code: 0x15,
    symbol: 'amqp:disposition:list',
    fields: [
      { name: 'role', type: 'boolean', mandatory: true },
      { name: 'first', type: 'uint', mandatory: true },
      { name: 'last', type: 'uint' },
      { name: 'settled', type: 'boolean', default: false },
      { name: 'state', type: 'raw' },
      { name: 'batchable', type: 'boolean', default: false },
    ],
  },
  detach: {
    code: 0x16,
    symbol: 'amqp:detach:list',
    fields: [
      { name: 'handle', type: 'uint', mandatory: true },
      { name: 'closed', type: 'boolean', default: false },
      { name: 'error', type: 'raw' },
    ],
  },
  end: { code: 0x17, symbol: 'amqp:end:list', fields: [{ name: 'error', type: 'raw' }] },
  close: { code: 0x18, symbol: 'amqp:close:list', fields: [{ name: 'error', type: 'raw' }] },
  'sasl-mechanisms': {
    code: 0x40,
    symbol: 'amqp:sasl-mechanisms:list',
    fields: [{ name: 'mechanisms', type: 'symbols', mandatory: true }],
  },
  'sasl-init': {
    code: 0x41,
    symbol: 'amqp:sasl-init:list',
    fields: [
      { name: 'mechanism', type: 'symbol', mandatory: true },
      { name: 'initialResponse', type: 'binary' },
      { name: 'hostname', type: 'string' },
    ],
  },
  'sasl-response': {
    code: 0x43,
    symbol: 'amqp:sasl-response:list',
    fields: [{ name: 'response', type: 'binary', mandatory: true }],
  },
  'sasl-outcome': {
    code: 0x44,
    symbol: 'amqp:sasl-outcome:list',
    fields: [
      { name: 'code', type: 'ubyte', mandatory: true },
      { name: 'additionalData', type: 'binary' },
    ],
  },
};

const ERROR: Row = {
  code: 0x1d,
  symbol: 'amqp:error:list',
  fields: [
    { name: 'condition', type: 'symbol', mandatory: true },
    { name: 'description', type: 'string' },
    { name: 'info', type: 'encoded-map' },
  ],
};

const BY_CODE = new Map<number, Performative['kind']>();
const BY_SYMBOL = new Map<string, Performative['kind']>();
for (const [kind, row] of Object.entries(TABLE)) {
  BY_CODE.set(row.code, kind as Performative['kind']);
  BY_SYMBOL.set(row.symbol, kind as Performative['kind']);
}

/** Decodes the performative at the start of a frame body; the payload begins at `next`. */
export function readPerformative(body: Uint8Array): { performative: Performative; next: number } {
  const { descriptor, next: listOffset } = readDescriptor(body, 0, body.length);
  const kind = typeof descriptor === 'number' ? BY_CODE.get(descriptor) : BY_SYMBOL.get(descriptor);
  if (kind === undefined) throw new DecodeError(`a frame holds ${descriptor}, which is not a performative`);
  const { values, next } = readFields(body, listOffset, body.length, {
    what: kind,
    fields: TABLE[kind].fields,
  });
  return { performative: { kind, ...values } as Performative, next };
}

export function fieldsOfPerformative(kind: Performative['kind']): readonly Field[] {
  return TABLE[kind].fields;
}

export function writePerformative(writer: ByteWriter, performative: Performative): void {
  const row = TABLE[performative.kind];
  writer.descriptor(row.code);
  writeFields(writer, row.fields, performative as unknown as FieldValues);
}

/** The descriptor at `offset`: a number for an unsigned long, text for a symbol. */
export function readDescriptor(
  bytes: Uint8Array,
  offset: number,
  end: number,
): { descriptor: number | string; next: number } {
  if (offset >= end || bytes[offset] !== 0x00) throw new DecodeError('a described value is expected');
  const next = scanValue(bytes, offset + 1, end);
  // The usual case is a small ulong, read without building a value.
  if (bytes[offset + 1] === 0x53) return { descriptor: bytes[offset + 2] as number, next };
  const { type, value, descriptor: inner } = decodeValue(asBuffer(bytes).subarray(offset + 1, next));
  const isDescriptor = type.name.includes('Ulong') || type.name.startsWith('Sym');
  if (!isDescriptor || inner !== undefined)
    throw new DecodeError(`a descriptor is a ${type.name}, not a ulong or symbol`);
  return { descriptor: typeof value === 'string' ? value : Number(value), next };
}

export function encodeError(writer: ByteWriter, error: AmqpError): void {
  writer.descriptor(ERROR.code);
  writeFields(writer, ERROR.fields, error);
}

/** Decodes an `error` field; undefined if the field is absent. */
export function decodeError(bytes: Uint8Array | undefined): AmqpError | undefined {
  if (bytes === undefined) return undefined;
  const { descriptor, next } = readDescriptor(bytes, 0, bytes.length);
  if (descriptor !== ERROR.code && descriptor !== ERROR.symbol)
    throw new DecodeError(`${descriptor} is not an error`, 'amqp:invalid-field');
  const { values } = readFields(bytes, next, bytes.length, { what: 'error', fields: ERROR.fields });
  return values as unknown as AmqpError;
}
