// What differs between the SDKs on the wire, as data: each transcript fills this in with the bytes its SDK writes.

import type { Encoded } from '../../support/frame-encoder.js';
import type { Fields, ListShape } from '../../support/frame-lists.js';

/** The name by which every client here calls the emulator in its open. */
export const HOST = 'jitney.servicebus.windows.net';

type FlowNumbers = {
  readonly nextIncomingId: number;
  readonly nextOutgoingId: number;
  readonly handle: number;
  readonly deliveryCount: number;
  readonly linkCredit: number;
  readonly drain: boolean;
};

export type TransferNumbers = {
  readonly handle: number;
  readonly deliveryId: number;
  readonly tag: Encoded;
};

/** A pair of links over which requests are sent and answered. Handle 0 sends, handle 1 receives. */
export type RequestPair = {
  readonly request: Fields<'attach'>;
  readonly response: Fields<'attach'>;
  readonly replyTo: string;
  readonly credit: number;
};

export type Dialect = {
  /** The one SASL mechanism it takes. */
  readonly mechanism: string;
  readonly saslInit: Omit<Fields<'sasl-init'>, 'mechanism'>;
  /** How its encoder writes lists. */
  readonly shape: ListShape;
  readonly open: Fields<'open'>;
  readonly begin: Fields<'begin'>;
  /** The first transfer-id and delivery-id of a session. */
  readonly firstOutgoingId: number;
  readonly sender: (path: string) => Fields<'attach'>;
  /** In peek-lock. */
  readonly receiver: (path: string) => Fields<'attach'>;
  /** In peek-lock, of one session, or of the next that is available; absent where the SDK has no sessions. */
  readonly sessionReceiver?: (path: string, sessionId: string | null) => Fields<'attach'>;
  readonly flow: (numbers: FlowNumbers) => Fields<'flow'>;
  readonly transfer: (numbers: TransferNumbers) => Fields<'transfer'>;
  /** Delivery tags of its sends. */
  readonly tag: (index: number) => Encoded;
  /** An ordinary message; it has a message-id. */
  readonly message: (text: string) => Buffer;
  readonly disposition: (deliveryId: number, state: Encoded) => Fields<'disposition'>;
  readonly outcomes: { readonly complete: Encoded; readonly abandon: Encoded; readonly deadLetter: Encoded };
  readonly requests?: {
    readonly cbs: RequestPair;
    readonly tokenType: string;
    readonly audience: (path: string) => string;
    readonly management: (path: string) => RequestPair;
    /** The message-id of the n-th request. */
    readonly messageId: (index: number) => Encoded;
    readonly transfer: (numbers: TransferNumbers) => Fields<'transfer'>;
    /** Application properties beside `operation`, of management requests. */
    readonly properties: Readonly<Record<string, Encoded>>;
    /** Further properties of put-token. */
    readonly tokenProperties: Readonly<Record<string, Encoded>>;
  };
};
