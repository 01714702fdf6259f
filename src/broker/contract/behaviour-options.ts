// Options for behaviour that Azure leaves open, or that a test may want to differ from Azure.

/** When messages expire: on time or, as Azure's article on expiration says, only while a receiver listens (TTL-09). */
export type ExpirySweep = 'always' | 'whenListening';

export type BehaviourOptions = {
  readonly expirySweep: ExpirySweep;
  /** Releases the locks of a receiver as soon as its link ends; the delivery count does not change (LNK-04). */
  readonly releaseLocksOnDetach: boolean;
  /**
   * If true, as in Azure's article on expiration: in an entity that requires sessions, messages expire only while a receiver
   * listens, and an expired message takes its whole session with it. If false, each message expires on its own (SES-18).
   */
  readonly expireWholeSession: boolean;
  /** The most that the fan-out of one command may cost, in the unit of `message-fan-out.ts`; the rest is done in later turns (TOP-15). */
  readonly maxFanOutCost: number;
};

export const AZURE_BEHAVIOUR: BehaviourOptions = {
  expirySweep: 'always',
  releaseLocksOnDetach: false,
  expireWholeSession: true,
  maxFanOutCost: 2_500,
};
