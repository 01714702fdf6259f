// One side of a copy, a Jitney or another service: which stores of messages it has, how they are read, taken in and deleted.

/** A message as `GET messages?raw=true` lists it. */
export type MessageToCopy = {
  readonly sequenceNumber: number;
  readonly state: 'active' | 'locked' | 'scheduled' | 'deferred';
  readonly raw: { readonly base64: string };
};

export type SessionState = { readonly sessionId: string; readonly stateBase64: string };

/** A place with messages: a queue, a topic with its scheduled ones, a subscription, or a dead-letter queue. */
export type CopiedStore = {
  readonly path: string;
  /** The queue or topic that it belongs to, which a map renames. */
  readonly owner: string;
  readonly count: number;
  readonly hasSessions: boolean;
};

export type CopySource = {
  /** For people. */
  readonly address: string;
  /** Why its messages cannot be deleted by a copy; undefined if they can. */
  readonly cannotDelete: string | undefined;
  stores(): Promise<readonly CopiedStore[]>;
  /** The messages that are there now, by number, after this one. */
  messages(path: string, after: number): AsyncIterable<readonly MessageToCopy[]>;
  sessionStates(path: string): AsyncIterable<SessionState>;
  /** Deletes the messages with these numbers. */
  delete(path: string, sequenceNumbers: readonly number[]): Promise<void>;
  close(): Promise<void>;
};

export type CopyDestination = {
  readonly address: string;
  /** The sentence that is said first: which changes messages suffer there; undefined if they arrive as they are. */
  readonly loss: string | undefined;
  /** True if the command takes messages of such a store. */
  takes(path: string): boolean;
  /** The last number that an earlier run of this copy has brought to the store; 0 if there was none. */
  mark(path: string): Promise<number>;
  /** Resolves when the destination has all of them. */
  put(path: string, messages: readonly MessageToCopy[]): Promise<void>;
  putState(path: string, state: SessionState): Promise<void>;
  /** Ends the copy: the next one begins again. */
  end(): Promise<void>;
  close(): Promise<void>;
};
