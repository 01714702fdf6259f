// Entities whose names have the words of the sending and receiving API in them can be administered all the same.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { entryOf } from '../support/http-under-test.js';
import { type HttpUnderTest, openHttp, placeOf } from './http-under-test.js';

const GUID = '01234567-89ab-4def-8123-456789abcdef';
const XML = { 'content-type': 'application/atom+xml;type=entry;charset=utf-8' };

let http: HttpUnderTest;

beforeEach(async () => {
  http = await openHttp({
    queues: ['x', 'x/messages/head', `x/messages/1/${GUID}`, 'Subscriptions', 'a/Subscriptions'],
    topics: ['x/messages', { name: 'news', subscriptions: ['messages'] }],
  });
});
afterEach(async () => {
  expect(http.faults).toEqual([]);
  await http.stop();
});

function put(path: string, kind: string, headers: Readonly<Record<string, string>>) {
  return http.ask('PUT', path, { headers, body: entryOf(kind, '') });
}

test.each([
  [
    'a subscription of a topic called x/messages',
    `x/messages/Subscriptions/${GUID}`,
    'SubscriptionDescription',
  ],
  [
    'a rule of a subscription called messages',
    `news/Subscriptions/messages/Rules/${GUID}`,
    'RuleDescription',
  ],
])('%s is created, changed and deleted, whatever type its description says it has', async (_, path, kind) => {
  for (const headers of [XML, { 'content-type': 'text/plain' }]) {
    expect((await put(path, kind, headers)).status).toBe(201);
    expect((await put(path, kind, { ...headers, 'if-match': '*' })).status).toBe(200);
    expect((await http.ask('GET', path)).status).toBe(200);
    expect((await http.ask('DELETE', path)).status).toBe(200);
    expect((await http.ask('GET', path)).status).toBe(404);
  }
});

test('a rule of a subscription of a topic called x/messages is deleted', async () => {
  await put('x/messages/Subscriptions/s', 'SubscriptionDescription', XML);
  const path = `x/messages/Subscriptions/s/Rules/${GUID}`;
  expect((await put(path, 'RuleDescription', XML)).status).toBe(201);
  expect((await http.ask('DELETE', path)).status).toBe(200);
});

test('a queue whose name looks like the URL of a message is changed by a PUT with a description', async () => {
  const path = `x/messages/1/${GUID}`;
  expect((await put(path, 'QueueDescription', { ...XML, 'if-match': '*' })).status).toBe(200);
  expect((await http.ask('PUT', path, { body: '' })).status).toBe(404);
});

test('a queue called x/messages/head is deleted where there is one, and else x is received from', async () => {
  await http.send('x', 'one');
  const deleted = await http.ask('DELETE', 'X/messages/head');
  expect(deleted).toMatchObject({ status: 200, text: '' });
  expect((await http.ask('DELETE', 'x/messages/head?timeout=0')).text).toBe('one');
});

test('a queue whose name looks like the URL of a message is deleted', async () => {
  const path = `x/messages/1/${GUID}`;
  expect((await http.ask('DELETE', path)).status).toBe(200);
  expect((await http.ask('DELETE', path)).text).toContain('The lock supplied is invalid');
});

test('a message is unlocked whatever type the request says it has, as azure-servicebus 0.50 for Python does', async () => {
  await http.send('x', 'one');
  const place = placeOf(await http.ask('POST', 'x/messages/head?timeout=0', { body: '' }));
  expect((await http.ask('PUT', place, { headers: XML, body: '' })).status).toBe(200);
  expect((await http.ask('POST', 'x/messages/head?timeout=0', { body: '' })).text).toBe('one');
});

test.each(['Subscriptions', 'a/Subscriptions'])(
  'a message of a queue called %s is settled like all others',
  async (name) => {
    await http.send(name, 'one');
    const place = placeOf(await http.ask('POST', `${name}/messages/head?timeout=0`, { body: '' }));
    expect((await http.ask('DELETE', place)).status).toBe(200);
  },
);

test('a queue may have a name like the path of a subscription', async () => {
  const path = 'deals/Subscriptions/new';
  expect((await put(path, 'QueueDescription', XML)).status).toBe(201);
  expect((await put(path, 'QueueDescription', { ...XML, 'if-match': '*' })).status).toBe(200);
  expect((await http.ask('GET', path)).text).toContain('<QueueDescription ');
  await http.send(path, 'one');
  expect((await http.ask('DELETE', `${path}/messages/head?timeout=0`)).text).toBe('one');
  expect((await put('deals', 'TopicDescription', XML)).status).toBe(201);
  expect((await put(path, 'SubscriptionDescription', XML)).status).toBe(409);
  expect((await http.ask('DELETE', path)).status).toBe(200);
  expect((await put(path, 'SubscriptionDescription', XML)).status).toBe(201);
  expect((await put(path, 'QueueDescription', XML)).status).toBe(409);
});
