// What SDKs ask of `$cbs` and `$management` with a queue, in their own bytes, and the exact types in which they want the answers.

import { expect, test } from 'vitest';
import { decode } from '../../support/frame-decoder.js';
import { array, type Encoded, map, str, TRUE, timestamp, uint, uuid } from '../../support/frame-encoder.js';
import type { ReceivedMessage } from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';
import { expectMissing } from './common.js';
import type { Conversation, Requests } from './conversation.js';
import type { Dialect } from './dialect.js';
import { QUEUE, talk } from './talk.js';

type RequestKinds = NonNullable<Dialect['requests']>;

const TOKEN =
  'SharedAccessSignature sr=sb%3A%2F%2Fjitney&sig=c2lnbmVk&se=4102444800&skn=RootManageSharedAccessKey';
const LOST_TOKEN = Buffer.from('00112233445566778899aabbccddeeff', 'hex');

export function requestTests(dialect: Dialect, requests: RequestKinds): void {
  test('answers of $cbs and of $management come on their own links, whichever was opened last', () =>
    talk(dialect, async ({ conversation }) => {
      const cbs = await conversation.openRequests(requests.cbs);
      const management = await conversation.openRequests(requests.management(QUEUE));
      await putToken(conversation, cbs, requests);
      expectStatus(await renewLock(conversation, management, requests, LOST_TOKEN), 410);
      await putToken(conversation, cbs, requests);
    }));

  test('renewing an unknown lock fails with 410 and a symbol that says why [SET-06, ERR-01, ERR-05]', () =>
    talk(dialect, async ({ conversation }) => {
      const management = await conversation.openRequests(requests.management(QUEUE));
      const reply = await renewLock(conversation, management, requests, LOST_TOKEN);
      expectStatus(reply, 410);
      expectCondition(reply, "'com.microsoft:message-lock-lost");
    }));

  test('a management link of a missing queue is refused like the queue itself [ERR-04]', () =>
    talk(dialect, async ({ conversation }) => {
      const { request, response } = requests.management('missing');
      const channel = await conversation.begin();
      await expectMissing(channel, request, dialect);
      channel.send('detach', { handle: uint(0), closed: TRUE });
      await expectMissing(channel, response, dialect);
    }));

  test('an operation that does not exist fails [ERR-01, ERR-05]', () =>
    talk(dialect, async ({ conversation }) => {
      const management = await conversation.openRequests(requests.management(QUEUE));
      const messageId = conversation.request(management, str('com.microsoft:make-coffee'), map([]), {
        ...requests.properties,
      });
      const reply = await conversation.takeReply(management);
      expectCorrelation(reply, messageId);
      expectStatus(reply, 501);
      expectCondition(reply, "'amqp:not-implemented");
    }));
}

export async function putToken(
  conversation: Conversation,
  cbs: Requests,
  { audience, tokenType, tokenProperties }: RequestKinds,
): Promise<void> {
  const messageId = conversation.request(cbs, str('put-token'), str(TOKEN), {
    type: str(tokenType),
    name: str(audience(QUEUE)),
    ...tokenProperties,
  });
  const reply = await conversation.takeReply(cbs);
  expectCorrelation(reply, messageId);
  expectStatus(reply, 202);
}

export async function renewLock(
  conversation: Conversation,
  management: Requests,
  { properties }: RequestKinds,
  token: Uint8Array,
): Promise<ReceivedMessage> {
  const body = map([[str('lock-tokens'), array([uuid(token)])]]);
  const messageId = conversation.request(management, str('com.microsoft:renew-lock'), body, {
    ...properties,
  });
  const reply = await conversation.takeReply(management);
  expectCorrelation(reply, messageId);
  return reply;
}

export function expectCorrelation(reply: ReceivedMessage, messageId: Encoded): void {
  expect(notation(reply.property('correlationId'))).toBe(notation(decode(messageId)));
}

/** Go and .NET take nothing but an int; each client reads one of the spellings. */
export function expectStatus(reply: ReceivedMessage, status: number): void {
  for (const key of ['statusCode', 'status-code']) {
    expect(notation(reply.entry('applicationProperties', key))).toBe(`int ${status}`);
  }
  for (const key of ['statusDescription', 'status-description']) {
    expect(reply.entry('applicationProperties', key)?.type).toBe('string');
  }
}

/** .NET and Java cast it to a symbol. */
export function expectCondition(reply: ReceivedMessage, condition: string): void {
  expect(notation(reply.entry('applicationProperties', 'errorCondition'))).toBe(condition);
  expect(notation(reply.entry('applicationProperties', 'statusDescription'))).toMatch(/TrackingId:\S+/);
}

/** A token's end of validity, for SDKs that send one. */
export const TOKEN_EXPIRATION = timestamp(4_102_444_800_000);
