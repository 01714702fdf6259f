// One of Microsoft's samples must show this: lines that it prints, and messages that it leaves in the namespace.

/** Both ends included. */
export type Range = { readonly from: number; readonly to: number };

export type Expectation = {
  /** Lines that must be printed, and how often. */
  readonly prints?: readonly { readonly pattern: RegExp; readonly times: Range }[];
  /** The properties of its messages. */
  readonly says?: readonly Said[];
  /** It goes on for ever, and is stopped when it has printed this so often. */
  readonly runsUntil?: { readonly pattern: RegExp; readonly times: number };
  /** The contents of these places when it has ended; a queue or dead-letter queue that is not named holds nothing. */
  readonly leaves?: Leavings;
  /** Names of the topics that are there when it has ended, each without subscriptions. */
  readonly leavesTopics?: readonly RegExp[];
  /** The contents of these places, all at the same time, at some moment before it has ended. */
  readonly holdsMeanwhile?: readonly { readonly place: Place; readonly contents: Contents }[];
};

export type Said = {
  /** Its groups, with blanks between, are what was said. */
  readonly pattern: RegExp;
  readonly lines: readonly string[];
  /** The lines must come in this order unless told. */
  readonly inAnyOrder?: true;
};

/** A message must have no properties but those named; its state must be active. */
export type ExpectedMessage = {
  readonly body: unknown;
  readonly subject?: string;
  readonly contentType?: string;
  readonly correlationId?: string;
  readonly sessionId?: string;
  readonly deadLetterReason?: string;
  readonly deadLetterErrorDescription?: string;
  /** Looked at only where it is named. */
  readonly deliveryCount?: number;
  /** In milliseconds; looked at only where it is named. */
  readonly timeToLive?: number;
};

/** All the messages, in their order. */
export type Contents = readonly ExpectedMessage[];

export type Leavings = { readonly queue?: Contents; readonly deadLetters?: Contents };

export type Place =
  | { readonly queue: string; readonly isDeadLetterQueue?: true }
  | { readonly topic: RegExp; readonly subscription: string };

/** The queues of the samples, with Azure's defaults. */
export const QUEUE = 'samples-queue';
export const QUEUE_WITH_SESSIONS = 'samples-queue-with-sessions';

export const NONE = { from: 0, to: 0 };
export const ONE = { from: 1, to: 1 };

export function exactly(count: number): Range {
  return { from: count, to: count };
}

/** Whom the samples send, in this order. */
export const SCIENTISTS = [
  ...['Albert Einstein', 'Werner Heisenberg', 'Marie Curie', 'Steven Hawking', 'Isaac Newton'],
  ...['Niels Bohr', 'Michael Faraday', 'Galileo Galilei', 'Johannes Kepler', 'Nikolaus Kopernikus'],
];
export const TEN_MESSAGES: Contents = SCIENTISTS.map((body) => ({ body }));
/** The last message of sendMessages. */
export const ELEVENTH_MESSAGE: ExpectedMessage = {
  body: { firstName: 'Albert', lastName: 'Einstein' },
  subject: 'Scientist',
  contentType: 'application/json',
};
/** The messages that sendMessages sends. */
export const ELEVEN_MESSAGES: Contents = [...TEN_MESSAGES, { ...ELEVENTH_MESSAGE, timeToLive: 120_000 }];
/** How the samples print them. */
export const ELEVEN_BODIES = [...SCIENTISTS, '[object Object]'];
