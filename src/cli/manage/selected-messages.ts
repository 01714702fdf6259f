// Finds the messages of another service that a command selects. It only peeks: nothing is locked, and no delivery is counted.

import { randomUUID } from 'node:crypto';
import { ServiceBusError } from '../../broker/contract/service-bus-error.js';
import type { MessageView } from '../../broker/rules/message-view.js';
import { RuleCompiler } from '../../broker/rules/rule-compiler.js';
import type { AmqpClient } from '../../client/amqp-client.js';
import { contentReader } from '../../content/message-reader.js';
import { describeMessage, sequenceNumberOf } from '../../content/shown-message.js';
import { usageError } from '../output/error-report.js';

/** The states that peeks tell apart: a locked message looks active. */
export type PeekedState = 'active' | 'scheduled' | 'deferred';

export type SelectedMessage = {
  readonly number: bigint;
  readonly state: PeekedState;
  readonly sessionId: string | undefined;
};

export type PeekSelection = {
  readonly states: readonly PeekedState[];
  readonly numbers: readonly bigint[] | undefined;
  readonly filter: MessageTest | undefined;
  readonly enqueuedBefore: number | undefined;
};

/** False for a message on which the filter fails, too. */
export type MessageTest = (content: Uint8Array) => boolean;

const STATE_NUMBERS = { active: 0n, deferred: 1n, scheduled: 2n } as const;

/**
 * Yields the selected messages of a queue, topic, subscription or dead-letter queue by their numbers. `onLooked` is called for each message
 * that is looked at. Throws a JitneyError.
 */
export async function* selectMessages(
  client: AmqpClient,
  path: string,
  selection: PeekSelection,
  onLooked: () => void = () => {},
): AsyncGenerator<SelectedMessage> {
  const browser = await client.openBrowser(path);
  const { numbers } = selection;
  if (numbers === undefined) {
    const all = browser.peek({ from: 1n, max: Infinity, numberOf: sequenceNumberOf });
    for await (const content of all) {
      onLooked();
      yield* selectedOf(content, selection);
    }
    return;
  }
  for (const from of numbers) {
    for await (const content of browser.peek({ from, max: 1, numberOf: sequenceNumberOf })) {
      if (sequenceNumberOf(content) === from) yield* selectedOf(content, selection);
    }
  }
}

function* selectedOf(
  content: Uint8Array,
  { states, filter, enqueuedBefore = Infinity }: PeekSelection,
): Generator<SelectedMessage> {
  const { state, enqueuedTime = '', sessionId } = describeMessage(content, 'peeked');
  const found = states.find((one) => one === state);
  if (found === undefined || Date.parse(enqueuedTime) >= enqueuedBefore) return;
  if (filter === undefined || filter(content))
    yield { number: sequenceNumberOf(content), state: found, sessionId };
}

/** Compiles SQL, written as in a rule. Throws a JitneyError. */
export function compileTest(expression: string): MessageTest {
  const compiler = new RuleCompiler({ nextGuid: randomUUID });
  try {
    const filter = compiler.filter({ kind: 'sql', expression });
    return (content) => {
      try {
        return filter.matches(viewOf(content));
      } catch {
        return false;
      }
    };
  } catch (error) {
    if (!(error instanceof ServiceBusError)) throw error;
    throw usageError(`--filter: ${error.message}`, error);
  }
}

/** A peeked message as a filter sees it: as it was sent, and with what the service has added. */
function viewOf(content: Uint8Array): MessageView {
  const { sequenceNumber, state, enqueuedTime, deliveryCount, deadLetterSource } = describeMessage(
    content,
    'peeked',
  );
  const sent = contentReader.read(content).properties;
  return {
    system: (name) => {
      switch (name) {
        case 'SequenceNumber':
          return BigInt(sequenceNumber ?? 0);
        case 'State':
          return STATE_NUMBERS[state === undefined || state === 'locked' ? 'active' : state];
        case 'EnqueuedTimeUtc':
          return { kind: 'timestamp', ms: Date.parse(enqueuedTime ?? '') };
        case 'DeliveryCount':
          return BigInt(deliveryCount);
        case 'DeadLetterSource':
          return deadLetterSource ?? null;
        default:
          return sent.system(name);
      }
    },
    user: (name) => sent.user(name),
    has: (name) => sent.has(name),
    spelling: (name) => sent.spelling(name),
    header: (field) => sent.header(field),
  };
}
