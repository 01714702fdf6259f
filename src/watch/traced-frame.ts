// A frame of AMQP as the log at `trace` tells of it. It is no activity: there are far too many to keep.

/** A frame or protocol header that was received or sent. */
export type TracedFrame = {
  readonly kind: 'frame';
  readonly connectionId: number;
  readonly direction: 'received' | 'sent';
  /** The AMQP channel; undefined in SASL and for a protocol header. */
  readonly channel: number | undefined;
  /** Undefined for an empty frame, a protocol header, and bytes that are no frame. */
  readonly performative: string | undefined;
  readonly payloadBytes: number;
};
