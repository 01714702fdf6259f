// Requests to the transaction coordinator: the body of a message on a control link (AMQP 4.5.2, 4.5.3).

import { DecodeError } from './decode-error.js';
import { type Field, readFields } from './fields.js';
import { readDescriptor } from './performatives.js';

export type Coordination =
  /** `isGlobal` requests a part of a distributed transaction that another coordinator runs. */
  | { readonly kind: 'declare'; readonly isGlobal: boolean }
  | { readonly kind: 'discharge'; readonly transactionId: Buffer; readonly isFailed: boolean };

const DECLARE_FIELDS: readonly Field[] = [{ name: 'globalId', type: 'raw' }];
const DISCHARGE_FIELDS: readonly Field[] = [
  { name: 'transactionId', type: 'binary', mandatory: true },
  { name: 'fail', type: 'boolean', default: false },
];

type Kind = readonly [Coordination['kind'], readonly Field[]];

const KINDS: ReadonlyMap<number | string, Kind> = new Map<number | string, Kind>([
  [0x31, ['declare', DECLARE_FIELDS]],
  ['amqp:declare:list', ['declare', DECLARE_FIELDS]],
  [0x32, ['discharge', DISCHARGE_FIELDS]],
  ['amqp:discharge:list', ['discharge', DISCHARGE_FIELDS]],
]);

/** Decodes the value of a value section; throws DecodeError when it is neither a declare nor a discharge. */
export function decodeCoordination(bytes: Uint8Array): Coordination {
  const { descriptor, next } = readDescriptor(bytes, 0, bytes.length);
  const known = KINDS.get(descriptor);
  if (known === undefined)
    throw new DecodeError(`${descriptor} is neither a declare nor a discharge`, 'amqp:invalid-field');
  const [kind, fields] = known;
  const { values } = readFields(bytes, next, bytes.length, { what: kind, fields });
  if (kind === 'declare') return { kind, isGlobal: values.globalId !== undefined };
  return { kind, transactionId: values.transactionId as Buffer, isFailed: values.fail === true };
}
