// The records of the stream: what happened, when, and which client did it. One table has the fields of each kind of activity.

import type { Activity } from '../broker/contract/activity.js';
import type { ClientActivity } from './client-activity.js';

type AnyActivity = Activity | ClientActivity;
type NotRecorded = 'content';
export type ActivityKind = AnyActivity['kind'];

/** The connection id of a program that changes something by hand over HTTP, and so has no connection. */
export const NO_CONNECTION = 0;

/** The client that did something, or for which it was done. */
export type Client = {
  /** `NO_CONNECTION` for a program that uses the control interface. */
  readonly connectionId: number;
  /** The name that it gives its connection; most SDKs choose a random one. */
  readonly name: string;
  /** The SDK and its version, such as `azsdk-js-azureservicebus/7.9.5`; undefined if the client names none. */
  readonly product: string | undefined;
  /** The client for people (`client-label.ts`). */
  readonly label: string;
  /** The identifier that the program has given its sender or receiver. Missing if it gave none, or the link does not count. */
  readonly identifier?: string;
};

type Recorded<A> = A & {
  /** Grows by one with each record, so that it is unique within one run of the emulator. */
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly linkId: number | undefined;
  /** Undefined if the emulator did it by itself, such as the expiry of a lock whose receiver has gone. */
  readonly client: Client | undefined;
};

/** The activity of one kind; several kinds may share their fields. */
type ActivityOf<Kind, A = AnyActivity> = A extends { readonly kind: infer Kinds }
  ? Kind extends Kinds
    ? Omit<A, 'kind' | NotRecorded> & { readonly kind: Kind }
    : never
  : never;

export type RecordOf<Kind extends ActivityKind> = { [One in Kind]: Recorded<ActivityOf<One>> }[Kind];

/** One record of the stream. */
export type ActivityRecord = RecordOf<ActivityKind>;

/** The fields that have their own columns, and the fields that no record has. */
type Common = 'kind' | 'path' | 'sequenceNumber' | 'linkId' | NotRecorded;

type FieldsOf<A> = A extends AnyActivity ? Exclude<keyof A, Common> : never;
type Field = FieldsOf<AnyActivity>;

/** The other fields of a kind: at most three numbers and three texts. */
export type Shape = { readonly numbers: readonly Field[]; readonly texts: readonly Field[] };

const STORED: Shape = { numbers: ['sizeBytes'], texts: ['messageId', 'sessionId', 'correlationId'] };
const END: Shape = { numbers: ['heldMs'], texts: [] };
const COUNTED: Shape = { numbers: ['heldMs', 'deliveryCount', 'maxDeliveryCount'], texts: [] };
const NONE: Shape = { numbers: [], texts: [] };
const SESSION: Shape = { numbers: [], texts: ['sessionId'] };
const SESSION_LOCK: Shape = { numbers: ['lockedUntil'], texts: ['sessionId'] };
const ENTITY: Shape = { numbers: [], texts: ['entity'] };

export const SHAPES: { readonly [Kind in ActivityKind]: Shape } = {
  accepted: STORED,
  enqueued: STORED,
  scheduled: { numbers: ['sizeBytes', 'enqueueAt'], texts: ['messageId', 'sessionId', 'correlationId'] },
  duplicate: { numbers: [], texts: ['messageId', 'correlationId'] },
  routed: { numbers: ['acceptedNumber'], texts: ['rule'] },
  unmatched: NONE,
  activated: { numbers: ['scheduledNumber'], texts: [] },
  locked: { numbers: ['lockedUntil', 'deliveryCount'], texts: ['lockToken'] },
  consumed: NONE,
  renewed: { numbers: ['lockedUntil', 'renewalCount'], texts: ['lockToken'] },
  completed: END,
  abandoned: COUNTED,
  'lock-expired': COUNTED,
  released: END,
  deferred: END,
  'dead-lettered': { numbers: [], texts: ['reason', 'description', 'outcome'] },
  expired: NONE,
  forwarded: { numbers: [], texts: ['destination'] },
  moved: { numbers: ['newNumber'], texts: ['destination'] },
  resubmitted: { numbers: ['newNumber'], texts: ['destination'] },
  'transfer-waiting': { numbers: [], texts: ['destination'] },
  cancelled: NONE,
  deleted: NONE,
  purged: { numbers: ['messageCount'], texts: [] },
  'session-accepted': SESSION_LOCK,
  'session-renewed': SESSION_LOCK,
  'session-lost': SESSION,
  'session-released': SESSION,
  'session-state-set': SESSION,
  'transaction-declared': { numbers: ['transactionId'], texts: [] },
  'transaction-committed': { numbers: ['transactionId', 'operationCount'], texts: [] },
  'transaction-rolled-back': { numbers: ['transactionId', 'operationCount'], texts: ['cause'] },
  'entity-created': ENTITY,
  'entity-updated': ENTITY,
  'entity-deleted': ENTITY,
  refused: { numbers: [], texts: ['command', 'reason', 'text'] },
  'connection-opened': { numbers: [], texts: ['transport'] },
  'connection-closed': { numbers: [], texts: ['cause'] },
  'link-attached': { numbers: [], texts: ['role'] },
  'link-refused': { numbers: [], texts: ['role', 'condition', 'text'] },
  'link-detached': { numbers: [], texts: ['condition', 'text'] },
  'token-accepted': { numbers: [], texts: ['policy'] },
  'token-refused': { numbers: [], texts: ['reason', 'text'] },
  'fault-fired': { numbers: ['fault'], texts: ['operation', 'effect'] },
  'client-refused': { numbers: [], texts: ['text'] },
  'request-refused': { numbers: ['status'], texts: ['method', 'text'] },
  'http-request': { numbers: ['status', 'durationMs'], texts: ['method'] },
};

export const KINDS = Object.keys(SHAPES) as readonly ActivityKind[];
