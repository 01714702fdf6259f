// Queues and topics over HTTP: created, got, changed and deleted; what is told of them and what is refused.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/engine/engine.js';
import type { HttpEngine } from '../../../src/http/http-context.js';
import { newMessage } from '../../support/broker-builders.js';
import { entryOf, type HttpUnderTest, openHttpUnderTest } from '../support/http-under-test.js';

const QUEUE = 'QueueDescription';
const TOPIC = 'TopicDescription';

let http: HttpUnderTest;

beforeEach(async () => {
  http = await openHttpUnderTest({ queues: ['orders'], topics: ['news'] });
});

afterEach(async () => {
  expect(http.faults).toEqual([]);
  await http.stop();
});

describe.each([
  ['queue', QUEUE],
  ['topic', TOPIC],
])('a %s', (_, kind) => {
  it('can be created once, read, and deleted once', async () => {
    expect((await http.put('/made', kind, '')).status).toBe(201);
    const again = await http.put('/made', kind, '');
    expect([again.status, again.valueOf('Detail')]).toEqual([
      409,
      expect.stringMatching(/^SubCode=40900\. The messaging entity 'made' already exists\. TrackingId:/),
    ]);
    expect(await http.exists('/made')).toBe(true);
    const deleted = await http.ask('DELETE', '/made');
    expect([deleted.status, deleted.text]).toEqual([200, '']);
    expect((await http.ask('DELETE', '/made')).status).toBe(404);
    expect(await http.exists('/made')).toBe(false);
  });

  it('may have a name that begins or ends with another character than a letter or digit [ENT-01]', async () => {
    const name = '_masstransit/fault--ns/type--';
    expect((await http.put(`/${name}`, kind, '')).status).toBe(201);
    expect((await http.ask('GET', `/${name}`)).valueOf('title')).toBe(name);
    expect((await http.ask('DELETE', `/${name}`)).status).toBe(200);
  });

  it('that is refused is named in the tracker of the error [SND-04]', async () => {
    const tracker = `SystemTracker:localhost:5300:${kind.replace('Description', '')}:made,`;
    const beyond = await http.put('/made', kind, '<MaxSizeInMegabytes>0</MaxSizeInMegabytes>');
    expect([beyond.status, beyond.valueOf('Detail')]).toEqual([400, expect.stringContaining(tracker)]);
    await http.put('/made', kind, '');
    const again = await http.put('/made', kind, '');
    expect([again.status, again.valueOf('Detail')]).toEqual([409, expect.stringContaining(tracker)]);
  });

  it('that does not exist cannot be changed', async () => {
    const answer = await http.update('/made', kind, '');
    expect(answer.status).toBe(404);
    expect(answer.valueOf('Detail')).toMatch(
      /^SubCode=40400\. The messaging entity 'sb:\/\/localhost:5300\/made' could not be found\./,
    );
  });

  it('is an entry with the address as requested, its name, its times and the namespace as its author [ENT-02]', async () => {
    http.clock.advance(1500);
    await http.put('/Made/Up', kind, '');
    http.clock.advance(1000);
    await http.update('/made/up', kind, '<UserMetadata>x</UserMetadata>');
    const { text, headers } = await http.ask('GET', '/MADE/up?api-version=2021-05&enrich=True', {
      origin: 'https://jitney.example:5300',
    });
    expect(headers.get('content-type')).toBe('application/atom+xml;type=entry;charset=utf-8');
    const id = 'https://jitney.example:5300/MADE/up?api-version=2021-05&amp;enrich=True';
    expect(text).toMatch(
      `<entry xmlns="http://www.w3.org/2005/Atom"><id>${id}</id><title type="text">made/up</title>` +
        '<published>2026-01-01T00:00:01Z</published><updated>2026-01-01T00:00:02Z</updated>' +
        `<author><name>jitney</name></author><link rel="self" href="${id}"/><content type="application/xml">` +
        `<${kind} xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect" ` +
        'xmlns:i="http://www.w3.org/2001/XMLSchema-instance">',
    );
    expect(text).toContain('<CreatedAt>2026-01-01T00:00:01.5000000Z</CreatedAt>');
    expect(text).toContain('<UpdatedAt>2026-01-01T00:00:02.5000000Z</UpdatedAt>');
  });

  it('cannot have the name of one of the other kind', async () => {
    const taken = kind === QUEUE ? '/NEWS' : '/ORDERS';
    expect((await http.put(taken, kind, '')).status).toBe(409);
    expect((await http.update(taken, kind, '')).status).toBe(404);
  });

  it('that is partitioned reports the size of its 16 partitions together, and accepts it back', async () => {
    const made = await http.put('/made', kind, '<EnablePartitioning>true</EnablePartitioning>');
    expect(made.valueOf('MaxSizeInMegabytes')).toBe('16384');
    const updated = await http.update('/made', kind, made.xmlOf(kind) ?? '');
    expect(updated.valueOf('MaxSizeInMegabytes')).toBe('16384');
    const copied = await http.put('/copy', kind, made.xmlOf(kind) ?? '');
    expect(copied.valueOf('MaxSizeInMegabytes')).toBe('16384');
    const halved = await http.update('/made', kind, '<MaxSizeInMegabytes>512</MaxSizeInMegabytes>');
    expect(halved.valueOf('MaxSizeInMegabytes')).toBe('8192');
  });
});

describe.each([
  ['queue', QUEUE],
  ['topic', TOPIC],
] as const)('a %s that is deleted while it is being changed', (_, kind) => {
  it('is not created again by the change that was under way', async () => {
    const deleting = (engine: Engine): HttpEngine => ({
      submit: (...given) => engine.submit(...given),
      openLink: (sink) => engine.openLink(sink),
      closeLink: (linkId) => engine.closeLink(linkId),
      resumeLink: (linkId) => engine.resumeLink(linkId),
      readMessage: (...given) => engine.readMessage(...given),
      readContent: (...given) => engine.readContent(...given),
      async ask(command) {
        const result = await engine.ask(command);
        if (command.kind === 'get-entity') await engine.ask({ kind: 'delete-entity', entityPath: 'there' });
        return result;
      },
    });
    const other = await openHttpUnderTest(
      kind === QUEUE ? { queues: ['there'] } : { topics: ['there'] },
      deleting,
    );
    expect((await other.update('/there', kind, '')).status).toBe(404);
    expect((await other.engine.ask({ kind: 'get-entity', entityPath: 'there' })).kind).toBe('failed');
    await other.stop();
  });
});

describe('the answer about a queue', () => {
  it('has the counts of its messages', async () => {
    const send = (scheduledEnqueueTime: number | undefined) =>
      http.engine.ask({
        kind: 'send',
        entityPath: 'orders',
        messages: [newMessage(new Uint8Array(10), { scheduledEnqueueTime })],
      });
    await send(undefined);
    await send(undefined);
    await send(Date.UTC(2027, 0, 1));
    const answer = await http.ask('GET', '/orders');
    expect(answer.valueOf('MessageCount')).toBe('3');
    expect(answer.valueOf('SizeInBytes')).toBe('30');
    expect(answer.text).toContain(
      '<CountDetails xmlns:d2p1="http://schemas.microsoft.com/netservices/2011/06/servicebus">' +
        '<d2p1:ActiveMessageCount>2</d2p1:ActiveMessageCount><d2p1:DeadLetterMessageCount>0</d2p1:DeadLetterMessageCount>' +
        '<d2p1:ScheduledMessageCount>1</d2p1:ScheduledMessageCount><d2p1:TransferMessageCount>0</d2p1:TransferMessageCount>' +
        '<d2p1:TransferDeadLetterMessageCount>0</d2p1:TransferDeadLetterMessageCount></CountDetails>',
    );
  });

  it('says that a partitioned queue does not support ordering', async () => {
    expect((await http.ask('GET', '/orders')).valueOf('SupportOrdering')).toBe('true');
    const made = await http.put('/made', QUEUE, '<EnablePartitioning>true</EnablePartitioning>');
    expect(made.valueOf('SupportOrdering')).toBe('false');
  });

  it('says that it is available, and not accessible without a key', async () => {
    const answer = await http.ask('GET', '/orders');
    expect(answer.valueOf('EntityAvailabilityStatus')).toBe('Available');
    expect(answer.valueOf('IsAnonymousAccessible')).toBe('false');
  });

  it('has the number of subscriptions for a topic', async () => {
    await http.put('/news/Subscriptions/all', 'SubscriptionDescription', '');
    expect((await http.ask('GET', '/news')).valueOf('SubscriptionCount')).toBe('1');
  });
});

describe('the largest message', () => {
  it('is what the tier allows until another size is set; sending the reported size back sets none', async () => {
    const premium = await openHttpUnderTest({ queues: ['orders'], tier: 'premium' });
    const told = await premium.ask('GET', '/orders');
    expect(told.valueOf('MaxMessageSizeInKilobytes')).toBe('1024');
    await premium.update('/orders', QUEUE, told.xmlOf(QUEUE) ?? '');
    const info = await premium.engine.ask({ kind: 'get-entity', entityPath: 'orders' });
    expect(info).toMatchObject({ entity: { description: { maxMessageSizeInKilobytes: undefined } } });
    const updated = await premium.update(
      '/orders',
      QUEUE,
      '<MaxMessageSizeInKilobytes>102400</MaxMessageSizeInKilobytes>',
    );
    expect(updated.valueOf('MaxMessageSizeInKilobytes')).toBe('102400');
    await premium.stop();
  });

  it('in Premium the size of a partitioned queue is reported as it is', async () => {
    const premium = await openHttpUnderTest({ tier: 'premium' });
    const made = await premium.put('/made', QUEUE, '<EnablePartitioning>true</EnablePartitioning>');
    expect(made.valueOf('MaxSizeInMegabytes')).toBe('1024');
    await premium.stop();
  });
});

describe('an unknown element', () => {
  it('may be one of many', async () => {
    expect((await http.put('/made', QUEUE, '<a/>'.repeat(10_000))).status).toBe(201);
  });

  it('of a description is stored and returned at its end, whatever its namespaces', async () => {
    const others =
      '<Later>1 &amp; 2</Later><p:More xmlns:p="urn:p" p:a="b"><p:In/></p:More><Typed i:type="X"/>';
    const made = await http.put('/made', QUEUE, `${others}<MaxDeliveryCount>2</MaxDeliveryCount>`);
    for (const { text } of [made, await http.ask('GET', '/made')]) {
      expect(text).toContain(`</MaxMessageSizeInKilobytes>${others}</QueueDescription>`);
    }
    expect((await http.update('/made', QUEUE, '')).text).not.toContain('Later');
  });

  it('is no element that the service computes itself or that old clients send', async () => {
    const computed =
      '<SizeInBytes>5</SizeInBytes><MessageCount>5</MessageCount><CreatedAt>x</CreatedAt><Path>x</Path>';
    const made = await http.put('/made', QUEUE, computed);
    expect([made.status, made.valueOf('SizeInBytes')]).toEqual([201, '0']);
    expect(made.text).not.toContain('<Path>');
  });

  it.each([
    [QUEUE, '/made', 'EntityAvailabilityStatus', 'Limited', 'Available'],
    [QUEUE, '/made', 'IsAnonymousAccessible', 'true', 'false'],
    [TOPIC, '/made', 'EntityAvailabilityStatus', 'Renaming', 'Available'],
    [TOPIC, '/made', 'IsAnonymousAccessible', 'true', 'false'],
    [TOPIC, '/made', 'FilteringMessagesBeforePublishing', 'true', 'false'],
    [TOPIC, '/made', 'EnableSubscriptionPartitioning', '1', 'false'],
    ['SubscriptionDescription', '/news/Subscriptions/s', 'EntityAvailabilityStatus', 'Limited', 'Available'],
  ])(
    'may be a constant of a %s at %s: %s is returned as %s in its position, not as %s',
    async (kind, path, name, given, usual) => {
      const plain = await http.put(path, kind, '');
      expect(plain.valueOf(name)).toBe(usual);
      await http.ask('DELETE', path);
      const made = await http.put(
        path,
        kind,
        `<Later>x</Later><x:${name} xmlns:x="urn:x"> ${given} </x:${name}>`,
      );
      expect(made.text).toBe(
        plain.text
          .replace(`<${name}>${usual}</${name}>`, `<${name}>${given}</${name}>`)
          .replace(`</${kind}>`, `<Later>x</Later></${kind}>`),
      );
      expect((await http.update(path, kind, made.xmlOf(kind) ?? '')).xmlOf(kind)).toBe(made.xmlOf(kind));
      const changed = await http.update(path, kind, `<${name}> ${usual.toUpperCase()} </${name}>`);
      expect(changed.xmlOf(kind)).toBe(plain.xmlOf(kind));
    },
  );

  it('is not searched for known elements', async () => {
    const later = '<Later><IsAnonymousAccessible>true</IsAnonymousAccessible></Later>';
    const made = await http.put('/made', QUEUE, later + later);
    expect(made.valueOf('IsAnonymousAccessible')).toBe('false');
    expect(made.text).toContain(`${later}${later}</QueueDescription>`);
  });

  it('may be a constant written as 0, or nil', async () => {
    const plain = await http.put('/made', QUEUE, '');
    await http.ask('DELETE', '/made');
    const given = '<IsAnonymousAccessible>0</IsAnonymousAccessible><EntityAvailabilityStatus i:nil="true"/>';
    expect((await http.put('/made', QUEUE, given)).text).toBe(plain.text);
  });

  it('is refused above 64 KiB', async () => {
    const fits = await http.put('/fits', QUEUE, `<Later>${'x'.repeat(65_000)}</Later>`);
    expect(fits.status).toBe(201);
    const answer = await http.put('/made', QUEUE, `<Later>${'x'.repeat(66_000)}</Later>`);
    expect([answer.status, answer.valueOf('Detail')]).toEqual([400, expect.stringContaining('"Later"')]);
  });
});

describe('a request is refused', () => {
  it.each(['POST', 'PATCH', 'HEAD', 'OPTIONS'])('by the method %s', async (method) => {
    const answer = await http.ask(method, '/orders');
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, PUT, DELETE');
  });

  it.each([
    ['no body', '', 'it is empty'],
    ['no entry', '<feed xmlns="http://www.w3.org/2005/Atom"/>', 'it is <feed>'],
    ['an entry without content', '<entry xmlns="http://www.w3.org/2005/Atom"/>', 'it is <entry>'],
    ['another description', entryOf('RuleDescription', ''), 'its content is <RuleDescription>'],
    ['no description', entryOf('x', '').replace(/<x .*<\/x>/, ''), 'its content is <>'],
    ['what goes deeper and deeper', '<a>'.repeat(9_000) + '</a>'.repeat(9_000), 'Maximum nested'],
    [
      'more elements than anybody sends',
      entryOf(QUEUE, '<a/>'.repeat(250_000)),
      'it has 250009 tags; it may have 20000',
    ],
    ['what multiplies itself', `<!DOCTYPE a [<!ENTITY a "ha">]>${entryOf(QUEUE, '&a;')}`, 'a document type'],
    ['half of an entry', entryOf(QUEUE, '').slice(0, -5), 'line 1'],
  ])('with %s in its body', async (_, body, words) => {
    const answer = await http.ask('PUT', '/made', { body });
    expect(answer.status).toBe(400);
    expect(answer.valueOf('Detail')).toContain(`SubCode=40000. The body is not valid: ${words}`);
  });

  it.each([
    ['x.../...', 'cannot be the name of a queue'],
    ['a%00b', 'cannot be the name of a queue'],
    [`a${'b'.repeat(300)}`, 'cannot be the name of a queue'],
    ['a%3Fb', 'cannot be the name of a queue'],
    ['a%5Cb', 'cannot be the name of a queue'],
  ])('to create %s', async (name, words) => {
    const answer = await http.put(`/${name}`, QUEUE, '');
    expect(answer.status).toBe(400);
    expect(answer.valueOf('Detail')).toContain(words);
    expect(await http.exists(`/${name}`)).toBe(false);
  });

  it.each(['/$Resources', '/$Resources/Relays', '/$namespaceinfo/x', '/$other'])(
    'at %s, where nothing is',
    async (path) => {
      const answer = await http.ask('GET', path);
      expect(answer.status).toBe(404);
      expect(answer.valueOf('Detail')).toMatch(/^No service is hosted at/);
    },
  );

  it('in Basic for what that tier does not have', async () => {
    const basic = await openHttpUnderTest({ tier: 'basic' });
    expect((await basic.put('/made', TOPIC, '')).status).toBe(400);
    expect((await basic.put('/made', QUEUE, '<RequiresSession>true</RequiresSession>')).status).toBe(400);
    await basic.stop();
  });
});

it('the root of the namespace is the feed of what is public, which is nothing', async () => {
  const answer = await http.ask('GET', '/');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/atom+xml;type=feed;charset=utf-8');
  expect(answer.text).toMatch(/^<feed xmlns="http:\/\/www\.w3\.org\/2005\/Atom">/);
  expect(answer.valueOf('title')).toBe('Publicly Listed Services');
  expect(answer.text).not.toContain('<entry');
  expect((await http.ask('PUT', '/')).status).toBe(405);
});

describe('a body', () => {
  it.each([
    ['with a byte order mark', `\ufeff${entryOf(QUEUE, '')}`],
    [
      'with prefixes of its own',
      '<a:entry xmlns:a="http://www.w3.org/2005/Atom"><a:content><b:QueueDescription xmlns:b="urn:old"/></a:content></a:entry>',
    ],
    ['without any namespace', '<entry><content><QueueDescription/></content></entry>'],
  ])('%s is understood, whatever type it says it has', async (_, body) => {
    const headers = { 'content-type': 'text/plain', ServiceBusSupplementaryAuthorization: 'x' };
    expect((await http.ask('PUT', '/made', { body, headers })).status).toBe(201);
  });

  it('may come in parts, between the bytes of a character', async () => {
    const bytes = new TextEncoder().encode(entryOf(QUEUE, '<UserMetadata>ü€😀</UserMetadata>'));
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    expect((await http.ask('PUT', '/made', { body })).valueOf('UserMetadata')).toBe('ü€😀');
  });

  it('that is no UTF-8 is refused', async () => {
    const answer = await http.ask('PUT', '/made', { body: Uint8Array.of(0x3c, 0xff, 0xfe) });
    expect([answer.status, answer.valueOf('Detail')]).toEqual([400, expect.stringContaining('UTF-8')]);
  });

  it('that breaks off is refused', async () => {
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.error(new Error('the client is gone'));
      },
    });
    expect((await http.ask('PUT', '/made', { body })).status).toBe(400);
  });

  it('of more than a mebibyte is not read to its end, whatever it says of its length', async () => {
    let sent = 0;
    const endless = () =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          sent += 65_536;
          controller.enqueue(new Uint8Array(65_536).fill(0x20));
        },
      });
    expect(
      (await http.ask('PUT', '/made', { body: endless(), headers: { 'content-length': '10' } })).status,
    ).toBe(413);
    expect(sent).toBeLessThan(2 * 1024 * 1024);
    sent = 0;
    const announced = { 'content-length': '104857600' };
    expect((await http.ask('PUT', '/made', { body: endless(), headers: announced })).status).toBe(413);
    expect(sent).toBeLessThan(200_000);
  });
});
