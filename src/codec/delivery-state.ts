// Delivery states: the outcomes of transfers and the states of transactions (AMQP 3.4, 4.5).

import type { ByteWriter } from './byte-writer.js';
import { DecodeError } from './decode-error.js';
import { type Field, readFields, writeFields } from './fields.js';
import { type AmqpError, decodeError, encodeError, readDescriptor } from './performatives.js';

export type DeliveryState =
  | { readonly kind: 'received' }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'rejected'; readonly error: AmqpError | undefined }
  | { readonly kind: 'released' }
  | {
      readonly kind: 'modified';
      readonly deliveryFailed: boolean;
      readonly undeliverableHere: boolean;
      /** The encoded map. */
      readonly messageAnnotations: Uint8Array | undefined;
    }
  | { readonly kind: 'declared'; readonly transactionId: Uint8Array }
  | {
      readonly kind: 'transactional';
      readonly transactionId: Uint8Array;
      readonly outcome: DeliveryState | undefined;
    };

const CODE = {
  received: 0x23,
  accepted: 0x24,
  rejected: 0x25,
  released: 0x26,
  modified: 0x27,
  declared: 0x33,
  transactional: 0x34,
} as const;

const CODE_BY_SYMBOL: ReadonlyMap<string, number> = new Map([
  ['amqp:received:list', CODE.received],
  ['amqp:accepted:list', CODE.accepted],
  ['amqp:rejected:list', CODE.rejected],
  ['amqp:released:list', CODE.released],
  ['amqp:modified:list', CODE.modified],
  ['amqp:declared:list', CODE.declared],
  ['amqp:transactional-state:list', CODE.transactional],
]);

const FIELDS: Readonly<Record<number, readonly Field[]>> = {
  [CODE.received]: [
    { name: 'sectionNumber', type: 'uint' },
    { name: 'sectionOffset', type: 'ulong' },
  ],
  [CODE.accepted]: [],
  [CODE.rejected]: [{ name: 'error', type: 'raw' }],
  [CODE.released]: [],
  [CODE.modified]: [
    { name: 'deliveryFailed', type: 'boolean', default: false },
    { name: 'undeliverableHere', type: 'boolean', default: false },
    { name: 'messageAnnotations', type: 'encoded-map' },
  ],
  [CODE.declared]: [{ name: 'transactionId', type: 'binary', mandatory: true }],
  [CODE.transactional]: [
    { name: 'transactionId', type: 'binary', mandatory: true },
    { name: 'outcome', type: 'raw' },
  ],
};

/** The terminal states of a delivery. */
const OUTCOMES: readonly (number | undefined)[] = [
  CODE.accepted,
  CODE.rejected,
  CODE.released,
  CODE.modified,
];

export const ACCEPTED: DeliveryState = { kind: 'accepted' };

/** Decodes a `state` field; undefined if the field is absent. */
export function decodeState(bytes: Uint8Array | undefined): DeliveryState | undefined {
  if (bytes === undefined) return undefined;
  const { descriptor, code, next } = readCode(bytes);
  const fields = code === undefined ? undefined : FIELDS[code];
  if (fields === undefined)
    throw new DecodeError(`${descriptor} is not a delivery state`, 'amqp:invalid-field');
  const { values } = readFields(bytes, next, bytes.length, { what: 'delivery state', fields });
  switch (code) {
    case CODE.received:
      return { kind: 'received' };
    case CODE.accepted:
      return ACCEPTED;
    case CODE.rejected:
      return { kind: 'rejected', error: decodeError(values.error as Buffer | undefined) };
    case CODE.released:
      return { kind: 'released' };
    case CODE.modified:
      return { kind: 'modified', ...values } as DeliveryState;
    case CODE.declared:
      return { kind: 'declared', transactionId: values.transactionId as Buffer };
    default:
      return {
        kind: 'transactional',
        transactionId: values.transactionId as Buffer,
        outcome: decodeOutcome(values.outcome as Buffer | undefined),
      };
  }
}

/** The outcome within a transactional state. Nesting is refused, because it could be as deep as a frame is long. */
function decodeOutcome(bytes: Uint8Array | undefined): DeliveryState | undefined {
  if (bytes === undefined) return undefined;
  const { descriptor, code } = readCode(bytes);
  if (!OUTCOMES.includes(code))
    throw new DecodeError(`${descriptor} is not an outcome`, 'amqp:invalid-field');
  return decodeState(bytes);
}

function readCode(bytes: Uint8Array) {
  const { descriptor, next } = readDescriptor(bytes, 0, bytes.length);
  const code = typeof descriptor === 'number' ? descriptor : CODE_BY_SYMBOL.get(descriptor);
  return { descriptor, code, next };
}

export function encodeState(writer: ByteWriter, state: DeliveryState): void {
  const code = CODE[state.kind];
  writer.descriptor(code);
  switch (state.kind) {
    case 'received':
    case 'accepted':
    case 'released':
      writer.byte(0x45);
      return;
    case 'rejected':
      writer.compound32(0xd0, () => {
        if (state.error === undefined) return 0;
        encodeError(writer, state.error);
        return 1;
      });
      return;
    case 'modified':
    case 'declared':
      writeFields(writer, FIELDS[code] ?? [], state);
      return;
    case 'transactional':
      writer.compound32(0xd0, () => {
        writer.binary(state.transactionId);
        if (state.outcome === undefined) writer.null();
        else encodeState(writer, state.outcome);
        return 2;
      });
  }
}
