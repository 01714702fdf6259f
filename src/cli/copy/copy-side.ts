// One side of a copy, a Jitney or another service: which stores of messages it has, how they are read, taken in and deleted.

/** A message as `GET messages?raw=true` lists it. */
export type MessageToCopy = {
  readonly sequenceNumber: number;
  readonly state: 'active' | 'locked' | 'scheduled' | 'deferred';
  readonly messageId?: string;
  readonly enqueuedTime?: string;
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
  /** When the entity was created, if its service tells: an entity that was created anew begins its numbers again. */
  readonly createdTime?: string;
};

/** The last number that earlier runs of this copy have brought, of each partition of the source; a source without partitions has only 0. */
export type Marks = ReadonlyMap<number, number>;

/** The top 16 bits of a number are its partition. */
const PARTITION_SIZE = 2 ** 48;

export function partitionIn(sequenceNumber: number): number {
  return Math.floor(sequenceNumber / PARTITION_SIZE);
}

/** The parts of a source of which a copy could not say that they are done. */
export type LeftBehind = {
  /** Messages of a move that stay, because other receivers hold them. */
  readonly heldCount: number;
  /** Messages of a move that have arrived, and could not be deleted any more. */
  readonly inBothCount: number;
  /** Sessions whose state was not read, because other receivers hold them. */
  readonly stateCount: number;
};

const NOTHING_LEFT: LeftBehind = { heldCount: 0, inBothCount: 0, stateCount: 0 };

export function leftBehind({ left = NOTHING_LEFT }: CopySource): LeftBehind {
  return left;
}

export type CopySource = {
  readonly address: string;
  stores(): Promise<readonly CopiedStore[]>;
  /** The messages that are there now, by number, after this one. Those of a move are locked until they are deleted, or the iteration ends. */
  messages(path: string, after: number, isMove: boolean): AsyncIterable<readonly MessageToCopy[]>;
  sessionStates(path: string): AsyncIterable<SessionState>;
  /** Deletes the messages with these numbers, which have arrived at the destination. */
  delete(path: string, sequenceNumbers: readonly number[]): Promise<void>;
  readonly left?: LeftBehind;
  close(): Promise<void>;
};

/** A destination did not take all messages of a request. */
export type RefusedPut = {
  /** The reason for the first message that it did not take. */
  readonly error: unknown;
  /** The numbers of those that it has. */
  readonly taken: readonly number[];
};

export type CopyDestination = {
  readonly address: string;
  /** The sentence that is said first: which changes messages suffer there; undefined if they arrive as they are. */
  readonly loss: string | undefined;
  /** True if messages of such a store can be put there. */
  takes(path: string): boolean;
  marks(path: string): Promise<Marks>;
  /** Resolves with undefined when the destination has all of them. */
  put(path: string, messages: readonly MessageToCopy[]): Promise<RefusedPut | undefined>;
  putState(path: string, state: SessionState): Promise<void>;
  /** Ends the copy: the next one begins again. */
  end(): Promise<void>;
  close(): Promise<void>;
};
