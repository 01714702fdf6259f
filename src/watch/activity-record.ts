// The records of the stream: what happened, when, and which client did it. `record-kinds.ts` has the fields of each kind.

import type { Activity } from '../broker/contract/activity.js';
import type { ClientActivity } from './client-activity.js';

type AnyActivity = Activity | ClientActivity;
/** The fields of an activity that no record has. */
export type NotRecorded = 'content';
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

/** The message of a line of the log that says which subscriptions did not take it. The stream has no such record. */
export type NotTakenMessage = Omit<RecordOf<'accepted'>, 'kind'> & { readonly kind: 'not-taken' };
