// The matchers as tests call them.

import type { EmulatorMessage } from '../inspect/emulator-message.js';
import type { MatcherOptions } from './check-entity.js';

/** A matcher of a test framework, such as `expect.any(String)`. */
type AnyMatcher = { asymmetricMatch(value: unknown): boolean };

type PartOf<Value> = Value extends Date | Uint8Array
  ? Value | AnyMatcher
  : Value extends string
    ? Value | RegExp | AnyMatcher
    : unknown extends Value
      ? unknown
      : Value extends object
        ? { readonly [Key in keyof Value]?: PartOf<Value[Key]> | undefined }
        : Value | AnyMatcher;

/**
 * Some fields of a message, compared as `toMatchObject` does: of an object only the named keys. A text may be a RegExp. Or a function that
 * returns true for the message.
 */
export type ExpectedMessage =
  | { readonly [Key in keyof EmulatorMessage]?: PartOf<EmulatorMessage[Key]> }
  | ((message: EmulatorMessage) => boolean);

/** A dead letter: why it is one, and some of its fields. */
export type ExpectedDeadLetter =
  | (Exclude<ExpectedMessage, (message: EmulatorMessage) => boolean> & {
      readonly reason?: string | RegExp;
      readonly description?: string | RegExp;
    })
  | ((message: EmulatorMessage) => boolean);

/**
 * The matchers of a handle such as `emulator.queue('orders')`. Each waits up to `timeoutMs`, by default 1,000 ms of real time; await
 * it. One that says how many messages there are, and each `.not`, passes only once the emulator is idle.
 */
export interface EntityMatchers<R = Promise<void>> {
  /** As many messages, in all states and once the emulator is idle; or at least these, each by a message of its own. */
  toHaveMessages(expected: number | readonly ExpectedMessage[], options?: MatcherOptions): R;
  /** No message in any state, once the emulator is idle. Its dead-letter queue is another handle. */
  toBeEmpty(options?: MatcherOptions): R;
  /** A dead letter, with this reason and these fields. */
  toHaveDeadLetter(expected?: ExpectedDeadLetter, options?: MatcherOptions): R;
  /** A message was completed, or received and deleted, since the test began. */
  toHaveBeenCompleted(expected?: ExpectedMessage, options?: MatcherOptions): R;
  /** A message of the topic was copied to this subscription since the test began. */
  toHaveBeenRoutedTo(subscription: string, expected?: ExpectedMessage, options?: MatcherOptions): R;
  /** The messages of this session were completed, deleted or dead-lettered in the order of their numbers, and none is left. */
  toHaveProcessedInOrder(sessionId: string, options?: MatcherOptions): R;
  /** No message is locked. */
  toHaveNothingUnsettled(options?: MatcherOptions): R;
}
