// Requests to schedule messages that cannot be: none of the request is stored, and the answer says which and why.

import { afterEach, beforeEach, describe, it } from 'vitest';
import { bin, type Encoded, list, NULL, str, timestamp } from '../../support/frame-encoder.js';
import {
  applicationProperties,
  dataSection,
  messageAnnotations,
  propertiesSection,
} from '../../support/frame-message.js';
import { bodyOf } from './management-client.js';
import { ARGUMENT, expectRefused, item, NOT_ALLOWED, sendSome, TIME } from './refusals.js';
import { Surroundings, scheduledMessage } from './surroundings.js';

const TOO_LARGE = { status: 'int 403', condition: "'amqp:link:message-size-exceeded" };
const LONG_ID = 'x'.repeat(129);

let given: Surroundings;
beforeEach(async () => {
  given = await Surroundings.open();
  await sendSome(given);
});
afterEach(() => given.close());

describe('a request to schedule messages is refused', () => {
  const good = scheduledMessage('good', TIME);

  it.each<[string, Encoded, string]>([
    ['is no map', str('a'), `Item 1 of 'messages': its 'message' is missing; it must be a binary`],
    ['has no message', bodyOf({ 'message-id': str('a') }), "its 'message' is missing; it must be a binary"],
    ['has a text as its message', bodyOf({ message: str('a') }), `its 'message' is string "a"; it must be`],
    ['has bytes that are no AMQP', item(Buffer.from('hello')), "its 'message' is not a valid AMQP message:"],
    ['has half a message', item(good.subarray(0, -1)), "its 'message' is not a valid AMQP message:"],
    [
      'has an empty message',
      item(Buffer.alloc(0)),
      'has no annotation x-opt-scheduled-enqueue-time; set it to',
    ],
    [
      'has no time',
      item(scheduledMessage('a', undefined)),
      'has no annotation x-opt-scheduled-enqueue-time;',
    ],
    ['has a time of null', item(timed(NULL)), 'has no annotation x-opt-scheduled-enqueue-time;'],
    ['has a text as its time', item(timed(str('soon'))), 'x-opt-scheduled-enqueue-time is not a timestamp'],
  ])('when one of them %s', async (_, bad, text) => {
    const body = { messages: list([item(good), bad]) };
    await expectRefused(given, ['schedule-message', body], { ...ARGUMENT, text });
  });

  it.each<[string, Buffer]>([
    ['messageId', propertiesSection({ messageId: str(LONG_ID) })],
    ['sessionId', propertiesSection({ groupId: str(LONG_ID) })],
    ['replyToSessionId', propertiesSection({ replyToGroupId: str(LONG_ID) })],
  ])('when one has a %s of more than 128 characters [MSG-07]', async (name, properties) => {
    const bad = Buffer.concat([timed(timestamp(TIME)), properties]);
    const body = { messages: list([item(good), item(bad)]) };
    await expectRefused(given, ['schedule-message', body], {
      ...NOT_ALLOWED,
      text: `The ${name} of a message`,
    });
  });

  it('when one has a list among its application properties [SND-16]', async () => {
    const bad = Buffer.concat([timed(timestamp(TIME)), applicationProperties({ tags: list([str('a')]) })]);
    const body = { messages: list([item(good), item(bad)]) };
    await expectRefused(given, ['schedule-message', body], { ...NOT_ALLOWED, text: /tags.*list/ });
  });

  it.each<[string, Readonly<Record<string, Encoded>>, string, string, RegExp]>([
    ['bytes', { hash: bin(Buffer.of(1)) }, 'int 403', 'amqp:link:message-size-exceeded', /System\.Byte\[\]/],
    ['more than 32 KB', { stack: str('x'.repeat(33_000)) }, 'int 500', 'amqp:internal-error', /33005 bytes/],
  ])('when one has a property of %s [MSG-11, MSG-08]', async (_, properties, status, condition, text) => {
    const bad = Buffer.concat([timed(timestamp(TIME)), applicationProperties(properties)]);
    const body = { messages: list([item(good), item(bad)]) };
    await expectRefused(given, ['schedule-message', body], { status, condition: `'${condition}`, text });
  });

  it('when one is larger than the queue takes', async () => {
    const bad = Buffer.concat([timed(timestamp(TIME)), dataSection('x'.repeat(256 * 1024))]);
    const body = { messages: list([item(good), item(bad)]) };
    await expectRefused(given, ['schedule-message', body], { ...TOO_LARGE, text: /262144/ });
  });

  function timed(time: Encoded): Buffer {
    return messageAnnotations({ 'x-opt-scheduled-enqueue-time': time });
  }
});
