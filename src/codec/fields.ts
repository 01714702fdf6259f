// Reads and writes the fields of a described list by position, with a table of types, defaults and mandatory fields.

import type { ByteWriter } from './byte-writer.js';
import { DecodeError } from './decode-error.js';
import { scanValue } from './scan.js';
import { type AmqpValue, asBuffer, decodeValue } from './types.js';

type FieldType =
  | 'boolean'
  | 'ubyte'
  | 'ushort'
  | 'uint'
  | 'ulong'
  | 'string'
  | 'symbol'
  | 'symbols'
  | 'binary'
  | 'map'
  /** A map, left encoded. */
  | 'encoded-map'
  /** Any value, left encoded. */
  | 'raw';

export type Field = {
  readonly name: string;
  readonly type: FieldType;
  readonly mandatory?: true;
  readonly default?: boolean | number;
};

/** Decoded fields: absent and null ones are undefined unless the table gives a default. */
export type FieldValues = Record<string, unknown>;

const NULL = 0x40;

/** Reads the list whose constructor is at `offset`, with the table. Returns the values and the end of the list. */
export function readFields(
  bytes: Uint8Array,
  offset: number,
  end: number,
  { what, fields }: { what: string; fields: readonly Field[] },
): { values: FieldValues; next: number } {
  const next = scanValue(bytes, offset, end);
  const values: FieldValues = {};
  const slices = listItems(bytes, offset, next, what);
  if (slices.length > fields.length) {
    throw new DecodeError(
      `${what} has ${slices.length} fields, ${fields.length} are known`,
      'amqp:decode-error',
    );
  }
  for (const [index, field] of fields.entries()) {
    const slice = slices[index];
    const isNull = slice === undefined || (slice.length === 1 && slice[0] === NULL);
    if (isNull && field.mandatory === true) {
      throw new DecodeError(`${what} lacks its mandatory field ${field.name}`, 'amqp:invalid-field');
    }
    values[field.name] = isNull ? field.default : readField(slice, field.type, `${what}.${field.name}`);
  }
  return { values, next };
}

/** The encoded items of a scanned list; `what` names the list in errors. */
export function listItems(bytes: Uint8Array, offset: number, end: number, what: string): Buffer[] {
  const code = bytes[offset];
  if (code === 0x45) return [];
  if (code !== 0xc0 && code !== 0xd0) throw new DecodeError(`${what} is not a list`);
  let item = offset + (code === 0xc0 ? 3 : 9);
  const items: Buffer[] = [];
  while (item < end) {
    const next = scanValue(bytes, item, end);
    items.push(asBuffer(bytes).subarray(item, next));
    item = next;
  }
  return items;
}

function readField(slice: Buffer, type: FieldType, what: string): unknown {
  const code = slice[0] as number;
  switch (type) {
    case 'boolean':
      if (code === 0x41) return true;
      if (code === 0x42) return false;
      if (code === 0x56) return slice[1] === 1;
      break;
    case 'ubyte':
      if (code === 0x50) return slice[1];
      break;
    case 'ushort':
      if (code === 0x60) return slice.readUInt16BE(1);
      break;
    case 'uint':
      if (code === 0x43) return 0;
      if (code === 0x52) return slice[1];
      if (code === 0x70) return slice.readUInt32BE(1);
      break;
    case 'ulong':
      if (code === 0x44) return 0;
      if (code === 0x53) return slice[1];
      if (code === 0x80) return Number(slice.readBigUInt64BE(1));
      break;
    case 'string':
      if (code === 0xa1 || code === 0xb1) return variable(slice).toString('utf8');
      break;
    case 'symbol':
      if (code === 0xa3 || code === 0xb3) return variable(slice).toString('ascii');
      break;
    case 'symbols':
      if (code === 0xa3 || code === 0xb3) return [variable(slice).toString('ascii')];
      if (code === 0xe0 || code === 0xf0) return symbolArray(slice, what);
      break;
    case 'binary':
      if (code === 0xa0 || code === 0xb0) return variable(slice);
      break;
    case 'map':
      if (code === 0xc1 || code === 0xd1) return decodeValue(slice);
      break;
    case 'encoded-map':
      if (code === 0xc1 || code === 0xd1) return slice;
      break;
    case 'raw':
      return slice;
  }
  throw new DecodeError(
    `${what} has type 0x${code.toString(16)}, which is not ${type}`,
    'amqp:invalid-field',
  );
}

function variable(slice: Buffer): Buffer {
  return slice.subarray((slice[0] as number) >= 0xb0 ? 5 : 2);
}

function symbolArray(slice: Buffer, what: string): string[] {
  const values = decodeValue(slice).value as AmqpValue[];
  return values.map((each) => {
    if (!each.type.name.startsWith('Sym')) {
      throw new DecodeError(`${what} is an array of ${each.type.name}, not of symbols`, 'amqp:invalid-field');
    }
    return each.value as string;
  });
}

/** Writes every field of the table, even nulls, because pyamqp reads trailing fields by position. */
export function writeFields(writer: ByteWriter, fields: readonly Field[], values: FieldValues): void {
  writer.compound32(0xd0, () => {
    for (const { name, type } of fields) {
      const value = values[name];
      if (value === undefined) writer.null();
      else WRITE[type](writer, value as never);
    }
    return fields.length;
  });
}

const WRITE: Readonly<Record<FieldType, (writer: ByteWriter, value: never) => void>> = {
  boolean: (writer, value: boolean) => writer.boolean(value),
  ubyte: (writer, value: number) => writer.ubyte(value),
  ushort: (writer, value: number) => writer.ushort(value),
  uint: (writer, value: number) => writer.uint(value),
  ulong: (writer, value: number) => writer.ulong(value),
  string: (writer, value: string) => writer.string(value),
  symbol: (writer, value: string) => writer.symbol(value),
  symbols: (writer, value: readonly string[]) => writer.symbols(value),
  binary: (writer, value: Uint8Array) => writer.binary(value),
  map: (writer, value: AmqpValue) => writer.value(value),
  'encoded-map': (writer, value: Uint8Array) => writer.bytes(value),
  raw: (writer, value: Uint8Array) => writer.bytes(value),
};
