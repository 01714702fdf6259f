// A message that is decoded on demand has the same values as one that is decoded as a whole.

import { expect, it } from 'vitest';
import type { InspectedMessage } from '../../src/broker/contract/inspection.js';
import { NEVER } from '../../src/broker/contract/instant.js';
import type { BrokerProperties } from '../../src/broker/contract/message-properties.js';
import { encodeMessage } from '../../src/content/encode-message.js';
import { MessageOnDemand } from '../../src/content/message-on-demand.js';
import { NO_PROPERTIES } from '../../src/content/message-parts.js';
import { jsonMessage } from '../../src/content/shown-message.js';
import { encodeTyped } from '../../src/content/typed-value.js';

const FULL = encodeMessage(
  {
    properties: { ...NO_PROPERTIES, messageId: 'm', subject: 's', correlationId: 'c', sessionId: 'g' },
    applicationProperties: [
      { name: 'region', value: 'EU' },
      { name: 'amount', value: 3n },
      { name: 'DeadLetterReason', value: 'ours' },
    ],
    body: Buffer.from('{"total":3}'),
  },
  0,
);
const EMPTY = encodeMessage({ properties: NO_PROPERTIES, applicationProperties: [], body: Buffer.of() }, 0);

const CHANGES: readonly Partial<BrokerProperties>[] = [
  {},
  { generatedMessageId: '0123456789abcdef0123456789abcdef' },
  { expiresAt: 90_000, deliveryCount: 4 },
  { systemChanges: { subject: 'changed', correlationId: null, sessionId: 'other' } },
  {
    propertyChanges: [
      { name: 'DeadLetterReason', value: 'broken' },
      { name: 'DeadLetterErrorDescription', value: 'line 3' },
      { name: 'region', value: null },
      { name: 'amount', value: encodeTyped('ulong', 7) ?? Buffer.of() },
      { name: '__proto__', value: 'odd' },
    ],
  },
];

function inspected(changes: Partial<BrokerProperties>, content: Uint8Array): InspectedMessage {
  const numbers = { sequenceNumber: 9, enqueuedTime: 5000, expiresAt: NEVER, deliveryCount: 0 };
  return {
    condition: 'active',
    properties: {
      ...numbers,
      state: 0,
      wasScheduled: false,
      enqueuedSequenceNumber: undefined,
      partitionId: undefined,
      generatedMessageId: undefined,
      propertyChanges: undefined,
      systemChanges: undefined,
      deadLetterSource: undefined,
      ...changes,
    },
    contentId: 1,
    storeId: 1,
    sizeBytes: content.length,
    sessionId: undefined,
    details: { lastHolder: 'JavaScript 7.9.5' },
    lock: undefined,
  };
}

const FIELDS = [
  ...(['sequenceNumber', 'enqueuedTime', 'deliveryCount', 'sizeBytes', 'messageId', 'subject'] as const),
  ...(['sessionId', 'correlationId', 'deadLetterReason', 'deadLetterErrorDescription'] as const),
  ...(['lastHolder', 'applicationProperties', 'body'] as const),
];

it.each([FULL, EMPTY].flatMap((content) => CHANGES.map((changes) => [changes, content] as const)))(
  'with %o',
  (changes, content) => {
    const message = inspected(changes, content);
    const whole = jsonMessage(message, content);
    const onDemand = new MessageOnDemand(message, content);
    for (const field of FIELDS) expect([field, onDemand[field]]).toEqual([field, whole[field]]);
  },
);
