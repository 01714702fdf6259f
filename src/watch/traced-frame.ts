// An AMQP frame for the log at level `trace`. It is not an activity, because there are far too many frames to keep.

/** A frame or protocol header that was received or sent. */
export type TracedFrame = {
  readonly kind: 'frame';
  readonly connectionId: number;
  readonly direction: 'received' | 'sent';
  /** The AMQP channel; undefined in SASL and for a protocol header. */
  readonly channel: number | undefined;
  /** Undefined for an empty frame, a protocol header, and bytes that are not a frame. */
  readonly performative: string | undefined;
  readonly payloadBytes: number;
};
