// Messages over HTTP: the one real client there is for it, and what crosses between it and AMQP.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Jitney } from './support/jitney.js';
import { OldClient, type OldMessage } from './support/old-client.js';
import { type ClosingClient, connect, only, receiveOne, takeAll } from './support/service-bus.js';

const TOKEN = { authorization: 'SharedAccessSignature sr=x&sig=x&se=1&skn=x' };
const NONE = 'No messages to receive';
const DATE = new Date('1994-11-06T08:49:37Z');

let jitney: Jitney;
let old: OldClient;
let client: ClosingClient;

beforeAll(async () => {
  jitney = await Jitney.start({
    queues: ['sent', 'locked', 'bare', 'in', 'out'],
    extraArguments: ['--topic', 'news/all', '--topic', 'http/all'],
  });
  old = new OldClient(jitney.address.port);
  client = connect(jitney.connectionString);
});

afterAll(async () => {
  await client.close();
  await jitney.stop();
});

function urlOf(path: string): string {
  const { host, port } = jitney.address;
  return `http://${host}:${port}/${path}`;
}

describe.concurrent('azure-sb', () => {
  test('sends a message with properties, and receives it with the same', async () => {
    const sent: OldMessage = {
      body: 'hello',
      contentType: 'text/plain;charset=utf-8',
      brokerProperties: { MessageId: 'm1', Label: 'greeting', TimeToLive: 60, CorrelationId: 'c1' },
      customProperties: { colour: 'red', count: 3, ratio: 0.5, urgent: true, at: DATE },
    };
    await old.sendTo('sent', sent);
    const { location, ...message } = await old.takeFrom('sent');
    expect(message).toMatchObject(sent);
    // No header of HTTP is taken for a property.
    expect(Object.keys(message.customProperties ?? {}).sort()).toEqual(
      Object.keys(sent.customProperties ?? {}).sort(),
    );
    expect(location).toBeUndefined();
    await expect(old.takeFrom('sent', 1)).rejects.toBe(NONE);
  });

  test('a bare text has no properties at all', async () => {
    await old.sendTo('bare', 'only this');
    const message = await old.takeFrom('bare');
    expect({ body: message.body, custom: message.customProperties }).toEqual({
      body: 'only this',
      custom: undefined,
    });
  });

  test('completes a message that it has locked [SET-01]', async () => {
    await old.sendTo('locked', 'one');
    const message = await old.lockAt('locked');
    await expect(old.takeFrom('locked', 1)).rejects.toBe(NONE);
    await old.call((service, done) => service.deleteMessage(message, done));
    await expect(old.takeFrom('locked', 1)).rejects.toBe(NONE);
    await expect(old.call((service, done) => service.deleteMessage(message, done))).rejects.toMatchObject({
      statusCode: 404,
    });
  });

  test('sends to a topic, and receives from its subscription', async () => {
    await old.call((service, done) => service.sendTopicMessage('news', { body: 'extra' }, done));
    const options = { isPeekLock: true, timeoutIntervalInS: 5 };
    const message = await old.call<OldMessage>((service, answer) =>
      service.receiveSubscriptionMessage('news', 'all', options, answer),
    );
    expect(message.body).toBe('extra');
    await old.call((service, done) => service.deleteMessage(message, done));
  });

  test('gets an error for a missing entity', async () => {
    await expect(old.sendTo('nowhere', 'lost')).rejects.toMatchObject({
      statusCode: 410,
      detail: expect.stringContaining("nowhere' could not be found"),
    });
  });

  test('creates, reads, lists and deletes a queue', async () => {
    const name = 'old-made';
    const options = { LockDuration: 'PT30S', MaxDeliveryCount: 5 };
    await old.call((service, answer) => service.createQueue(name, options, answer));
    expect(await old.call((service, answer) => service.createQueueIfNotExists(name, {}, answer))).toBe(false);
    expect(await old.call((service, answer) => service.getQueue(name, answer))).toMatchObject({
      QueueName: name,
      LockDuration: 'PT30S',
      MaxDeliveryCount: '5',
    });
    const queues = await old.call<{ QueueName: string }[]>((service, answer) =>
      service.listQueues({}, answer),
    );
    expect(queues.map(({ QueueName }) => QueueName)).toContain(name);
    await old.sendTo(name, 'one');
    expect((await old.takeFrom(name)).body).toBe('one');
    await old.call((service, done) => service.deleteQueue(name, done));
    await expect(old.call((service, answer) => service.getQueue(name, answer))).rejects.toBeDefined();
  });

  test('creates, reads, lists and deletes a topic with a subscription and a rule', async () => {
    await old.call((service, answer) => service.createTopic('old-topic', {}, answer));
    expect(await old.call((service, answer) => service.createTopicIfNotExists('old-topic', {}, answer))).toBe(
      false,
    );
    await old.call((service, answer) => service.createSubscription('old-topic', 'red', {}, answer));
    await old.call((service, done) => service.deleteRule('old-topic', 'red', '$Default', done));
    const rule = { sqlExpressionFilter: "colour = 'red'" };
    await old.call((service, answer) => service.createRule('old-topic', 'red', 'only', rule, answer));
    const rules = await old.call<{ RuleName: string }[]>((service, answer) =>
      service.listRules('old-topic', 'red', {}, answer),
    );
    expect(rules.map(({ RuleName }) => RuleName)).toEqual(['only']);
    for (const colour of ['blue', 'red']) {
      const message = { body: colour, customProperties: { colour } };
      await old.call((service, done) => service.sendTopicMessage('old-topic', message, done));
    }
    const received = await old.call<OldMessage>((service, answer) =>
      service.receiveSubscriptionMessage('old-topic', 'red', { timeoutIntervalInS: 5 }, answer),
    );
    expect(received.body).toBe('red');
    expect(
      await old.call((service, answer) => service.getSubscription('old-topic', 'red', answer)),
    ).toMatchObject({
      SubscriptionName: 'red',
    });
    await old.call((service, done) => service.deleteSubscription('old-topic', 'red', done));
    expect(await old.call((service, answer) => service.listSubscriptions('old-topic', {}, answer))).toEqual(
      [],
    );
    await old.call((service, done) => service.deleteTopic('old-topic', done));
    const topics = await old.call<{ TopicName: string }[]>((service, answer) =>
      service.listTopics({}, answer),
    );
    expect(topics.map(({ TopicName }) => TopicName)).not.toContain('old-topic');
  });
});

describe.concurrent('between HTTP and AMQP', () => {
  test('a message that is posted arrives over AMQP with its body, content type and typed properties', async () => {
    const BrokerProperties = {
      MessageId: 'm1',
      CorrelationId: 'c1',
      Label: 'L',
      ReplyTo: 'r',
      To: 't',
      SessionId: 's',
      ReplyToSessionId: 'rs',
      PartitionKey: 's',
      TimeToLive: 60,
    };
    const { status } = await fetch(urlOf('in/messages'), {
      method: 'POST',
      headers: {
        ...{
          ...TOKEN,
          'content-type': 'application/json',
          BrokerProperties: JSON.stringify(BrokerProperties),
        },
        Colour: '"red"',
        Count: '3',
        Large: '5000000000',
        Ratio: '0.5',
        Urgent: 'true',
        Bare: 'High',
        At: `"${DATE.toUTCString()}"`,
      },
      body: JSON.stringify({ hello: 'world' }),
    });
    expect(status).toBe(201);
    expect(only(await takeAll(client, 'in'))).toMatchObject({
      body: { hello: 'world' },
      contentType: 'application/json',
      messageId: 'm1',
      correlationId: 'c1',
      subject: 'L',
      replyTo: 'r',
      to: 't',
      sessionId: 's',
      replyToSessionId: 'rs',
      partitionKey: 's',
      timeToLive: 60_000,
      applicationProperties: {
        ...{
          Colour: 'red',
          Count: 3,
          Large: 5_000_000_000,
          Ratio: 0.5,
          Urgent: true,
          Bare: 'High',
          // The SDK makes numbers of dates.
          At: DATE.getTime(),
        },
      },
    });
  });

  test('a message that is sent over AMQP is received over HTTP', async () => {
    await client.createSender('out').sendMessages({
      ...{
        body: Buffer.from([0, 1, 255]),
        contentType: 'application/x-test',
        messageId: 'm2',
        subject: 'żółw',
      },
      applicationProperties: { colour: 'red', count: 3, ratio: 0.5, urgent: true, at: DATE },
    });
    const response = await fetch(urlOf('out/messages/head'), { method: 'POST', headers: TOKEN });
    expect(response.status).toBe(201);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from([0, 1, 255]));
    const { headers } = response;
    expect(
      ['content-type', 'colour', 'count', 'ratio', 'urgent', 'at'].map((name) => headers.get(name)),
    ).toEqual([...['application/x-test', '"red"', '3', '0.5', 'true', `"${DATE.toUTCString()}"`]]);
    expect(JSON.parse(headers.get('brokerproperties') ?? '')).toMatchObject({
      MessageId: 'm2',
      Label: 'żółw',
    });
    const done = await fetch(headers.get('location') ?? '', { method: 'DELETE', headers: TOKEN });
    expect(done.status).toBe(200);
  });

  test('a batch that is posted to a topic arrives over AMQP at its subscription', async () => {
    const messages = [
      { Body: 'first', BrokerProperties: { MessageId: '1', ContentType: 'text/plain' } },
      { Body: 'second', BrokerProperties: { MessageId: '2' }, UserProperties: { Priority: 'Low', Level: 5 } },
    ];
    const { status } = await fetch(urlOf('http/messages'), {
      method: 'POST',
      body: JSON.stringify(messages),
      headers: { ...TOKEN, 'content-type': 'application/vnd.microsoft.servicebus.json' },
    });
    expect(status).toBe(201);
    const receiver = client.createReceiver('http', 'all', { receiveMode: 'receiveAndDelete' });
    const first = await receiveOne(receiver);
    const second = await receiveOne(receiver);
    expect([first, second].map(({ body }) => String(body))).toEqual(['first', 'second']);
    expect(first).toMatchObject({ messageId: '1', contentType: 'text/plain' });
    expect(second).toMatchObject({ messageId: '2', applicationProperties: { Priority: 'Low', Level: 5 } });
  });
});
