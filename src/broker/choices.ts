// What whoever runs the broker may choose where Azure leaves it open, or where a test wants it otherwise.

/** When messages expire: on time, or, to the letter of Azure's article on expiration, only while a receiver listens (TTL-09). */
export type ExpirySweep = 'always' | 'whenListening';

export type Choices = {
  readonly expirySweep: ExpirySweep;
  /** Frees the locks of a receiver at once when its link is gone, the delivery count unchanged (LNK-04). */
  readonly releaseLocksOnDetach: boolean;
  /**
   * As Azure's article on expiration has it: where sessions are required messages expire only while a receiver listens, and
   * one that does takes its whole session with it. Otherwise they expire like any other, each by itself (SES-18).
   */
  readonly expireWholeSession: boolean;
};

export const AZURE_CHOICES: Choices = {
  expirySweep: 'always',
  releaseLocksOnDetach: false,
  expireWholeSession: true,
};
