// What becomes of a message that is sent to a topic: as many copies as its subscriptions' rules make.

import { describe, expect, it } from 'vitest';
import { COMPLETE, changesOf, failureOf, messagesOf, START } from '../../support/broker-builders.js';
import {
  addRule,
  event,
  numbersIn,
  pathOf,
  publish,
  removeRule,
  ruleNames,
  ruleWith,
  sqlRule,
  subscribe,
  succeed,
  TOPIC,
  withSubscriptions,
  withTopic,
} from '../../support/topic-builders.js';

const DEAD = '/$DeadLetterQueue';
const text = (value: unknown) => (value instanceof Uint8Array ? new TextDecoder().decode(value) : value);

describe('a message that a topic accepts', () => {
  it('is copied to each subscription in the same turn, and the topic keeps nothing [TOP-01, TOP-02, M1]', () => {
    const bus = withSubscriptions('a', 'b');
    const turn = publish(bus, { body: 'x' });
    expect(turn.result).toEqual({ kind: 'sent', sequenceNumbers: [1] });
    expect(turn.events.filter(({ kind }) => kind === 'content-stored')).toHaveLength(1);
    for (const name of ['a', 'b']) expect(numbersIn(bus, pathOf(name))).toEqual([1]);
    expect(bus.peek(TOPIC)).toEqual([]);
  });

  it('is one event with all copies that differ in their numbers only', () => {
    const bus = withSubscriptions('a', 'b');
    subscribe(bus, 'short', { defaultMessageTimeToLiveMs: 1000 });
    subscribe(bus, 'red', {}, [sqlRule('red', '1 = 1', "SET color = 'red'")]);
    const { events } = publish(bus, {}, {});
    const copies = events.flatMap((event) => (event.kind === 'copies-put' ? [event] : []));
    const expiries = copies.map(({ message }) => message.expiresAt);
    expect(copies.map(({ places }) => places.length / 2).toSorted()).toEqual([1, 1, 1, 1, 2, 2]);
    expect(expiries.filter((at) => at === START + 1000)).toHaveLength(2);
    for (const name of ['a', 'b', 'short', 'red']) expect(numbersIn(bus, pathOf(name))).toEqual([1, 2]);
  });

  it('has its session id only in a subscription with sessions, between equal copies without', () => {
    const bus = withSubscriptions('a');
    subscribe(bus, 'b', { requiresSession: true });
    subscribe(bus, 'c');
    publish(bus, { sessionId: 's' }, { sessionId: 't' });
    const stored = [...bus.rows.messages()].map(({ message }) => message.sessionId);
    expect(stored.toSorted()).toEqual(['s', 't', undefined, undefined, undefined, undefined]);
    expect(bus.restarted().rows.stored()).toEqual(bus.rows.stored());
  });

  it('waits a millisecond if many come due at once: a turn makes some thousands of copies', () => {
    const names = Array.from({ length: 100 }, (_, index) => `s${index}`);
    const bus = withSubscriptions(...names);
    const due = START + 60_000;
    bus.execute({
      kind: 'send',
      entityPath: TOPIC,
      messages: Array.from({ length: 50 }, () => ({ ...event({}), scheduledEnqueueTime: due })),
    });
    bus.tickAfter(60_000);
    const copyCount = () => [...bus.rows.messages()].filter(({ message }) => message.state === 0).length;
    expect(copyCount()).toBe(1600);
    for (let count = 0; count < 3; count++) bus.tickAfter(1);
    expect(copyCount()).toBe(5000);
  });

  it('is accepted and dropped if no subscription matches, and nothing is stored [SND-15, TOP-05]', () => {
    const bus = withTopic();
    expect(publish(bus, {}).events.map(({ kind }) => kind)).toEqual(['sequence-put']);
    subscribe(bus, 'a', {}, []);
    subscribe(bus, 'b', {}, [sqlRule('red', "color = 'red'")]);
    expect(publish(bus, { user: { color: 'blue' } }).result).toEqual({ kind: 'sent', sequenceNumbers: [2] });
    expect([...bus.rows.messages()]).toEqual([]);
    expect(bus.rows.contents.size).toBe(0);
  });

  it('has a number of its own in each subscription, and shows the topic’s [SEQ-05]', () => {
    const bus = withTopic();
    subscribe(bus, 'all');
    subscribe(bus, 'red', {}, [sqlRule('red', "color = 'red'")]);
    publish(bus, { user: { color: 'blue' } }, { user: { color: 'red' } });
    const [copy] = bus.receive(pathOf('red'));
    expect(copy?.properties).toMatchObject({
      sequenceNumber: 1,
      enqueuedSequenceNumber: 2,
      enqueuedTime: START,
    });
    const restarted = bus.restarted();
    publish(restarted, { user: { color: 'red' } });
    expect(restarted.peek(pathOf('red')).map(({ properties }) => properties.sequenceNumber)).toEqual([1, 2]);
  });

  it('is independent in each: settled here, counted there [TOP-14]', () => {
    const bus = withSubscriptions('a', 'b');
    publish(bus, { body: 'x' });
    bus.settle(pathOf('a'), bus.receiveOne(pathOf('a')), COMPLETE);
    bus.settle(pathOf('b'), bus.receiveOne(pathOf('b')), { kind: 'abandon', changes: [] });
    expect(bus.peek(pathOf('a'))).toEqual([]);
    expect(bus.receiveOne(pathOf('b')).properties.deliveryCount).toBe(1);
  });

  it('is one content for all copies, released with the last of them, after a restart too [TOP-01]', () => {
    const bus = withSubscriptions('a', 'b', 'c');
    publish(bus, { body: 'x' });
    expect(bus.rows.contents.size).toBe(1);
    bus.settle(pathOf('a'), bus.receiveOne(pathOf('a')), COMPLETE);
    bus.settle(pathOf('b'), bus.receiveOne(pathOf('b')), { kind: 'dead-letter', changes: [] });
    const restarted = bus.restarted();
    restarted.settle(pathOf('c'), restarted.receiveOne(pathOf('c')), COMPLETE);
    expect(restarted.rows.contents.size).toBe(1);
    const dead = restarted.receiveOne(pathOf('b') + DEAD);
    restarted.settle(pathOf('b') + DEAD, dead, COMPLETE);
    expect(restarted.rows.contents.size).toBe(0);
  });

  it('lives as long as the shortest of its own time, the topic’s and the subscription’s [TTL-03]', () => {
    const bus = withTopic({ defaultMessageTimeToLiveMs: 5000 });
    subscribe(bus, 'short', { defaultMessageTimeToLiveMs: 2000 });
    subscribe(bus, 'long', { defaultMessageTimeToLiveMs: 9000 });
    publish(bus, event({}, { timeToLiveMs: 7000 }), event({}, { timeToLiveMs: 1000 }));
    const expiries = (name: string) => bus.peek(pathOf(name)).map(({ properties }) => properties.expiresAt);
    expect(expiries('short')).toEqual([START + 2000, START + 1000]);
    expect(expiries('long')).toEqual([START + 5000, START + 1000]);
  });

  it('counts once in the size of the topic, however many copies there are [CNT-02, LIM-05]', () => {
    const bus = withSubscriptions('a', 'b');
    const message = event({ body: 'x'.repeat(100) });
    publish(bus, message);
    const size = () => {
      const { result } = bus.execute({ kind: 'get-entity', entityPath: TOPIC });
      return result.kind === 'entity-info' ? result.entity.sizeBytes : undefined;
    };
    expect(size()).toBe(message.content.length);
    bus.settle(pathOf('a'), bus.receiveOne(pathOf('a')), COMPLETE);
    expect(size()).toBe(message.content.length);
    bus.settle(pathOf('b'), bus.receiveOne(pathOf('b')), COMPLETE);
    expect(size()).toBe(0);
  });

  it('is compared with earlier ones before it is copied [DUP-01, DUP-08]', () => {
    const bus = withTopic({ requiresDuplicateDetection: true });
    subscribe(bus, 'a');
    publish(bus, { messageId: 'one' });
    expect(publish(bus, { messageId: 'one' }).result).toEqual({ kind: 'sent', sequenceNumbers: [1] });
    expect(bus.peek(pathOf('a'))).toHaveLength(1);
  });
});

describe('a scheduled message of a topic', () => {
  it('waits on the topic, is seen there alone, and is filtered at its time [SCH-08, PEEK-06, PEEK-07, M4]', () => {
    const bus = withTopic();
    subscribe(bus, 'early', {}, [sqlRule('red', "color = 'red'")]);
    publish(bus, event({ user: { color: 'red' } }, { scheduledEnqueueTime: START + 5000 }));
    expect(bus.peek(TOPIC)).toHaveLength(1);
    expect(bus.peek(pathOf('early'))).toEqual([]);
    removeRule(bus, 'early', 'red');
    subscribe(bus, 'late');
    const restarted = bus.restarted();
    restarted.tickAfter(5000);
    expect(restarted.peek(TOPIC)).toEqual([]);
    expect(restarted.peek(pathOf('early'))).toEqual([]);
    expect(numbersIn(restarted, pathOf('late'))).toEqual([2]);
    expect(restarted.rows.contents.size).toBe(1);
  });

  it('is gone when no subscription matches it at its time, or when it is cancelled [SCH-06, SND-15]', () => {
    const bus = withTopic();
    publish(
      bus,
      event({}, { scheduledEnqueueTime: START + 5000 }),
      event({}, { scheduledEnqueueTime: START + 9000 }),
    );
    succeed(bus.cancelScheduled(TOPIC, 2));
    bus.tickAfter(5000);
    expect(bus.rows.contents.size).toBe(0);
    expect([...bus.rows.messages()]).toEqual([]);
  });
});

describe('the rules of a subscription', () => {
  it('make one copy together without actions, and one each with an action [TOP-03, TOP-04, TOP-06]', () => {
    const bus = withTopic();
    subscribe(bus, 'a', {}, [
      ruleWith('$Default', { kind: 'true' }),
      sqlRule('red', "color = 'red'"),
      sqlRule('any', '1 = 1'),
      sqlRule('marked', "color = 'red'", "SET mark = 'yes'"),
      sqlRule('renamed', "color = 'red'", "SET color = 'green'; REMOVE size"),
    ]);
    publish(bus, { user: { color: 'red', size: 3 } });
    const copies = bus.receive(pathOf('a'), 9);
    expect(
      copies.map((copy) => Object.fromEntries(Object.entries(changesOf(copy)).map(([k, v]) => [k, text(v)]))),
    ).toEqual([
      {},
      { mark: '"yes"', RuleName: 'marked' },
      { color: '"green"', size: null, RuleName: 'renamed' },
    ]);
  });

  it('see the message as it was sent, whatever other rules make of their copies [TOP-07]', () => {
    const bus = withTopic();
    subscribe(bus, 'a', {}, [
      sqlRule('first', "color = 'red'", "SET color = 'green'"),
      sqlRule('second', "color = 'green'"),
      sqlRule('third', "color = 'red'", 'SET seen = color'),
    ]);
    publish(bus, { user: { color: 'red' } });
    const copies = bus.receive(pathOf('a'), 9).map(changesOf);
    expect(copies).toHaveLength(2);
    expect(text(copies[1]?.seen)).toBe('"red"');
  });

  it('change a property under the name its sender gave it [SQL-05, ACT-03]', () => {
    const bus = withTopic();
    subscribe(bus, 'a', {}, [sqlRule('first', '1 = 1', 'SET COLOR = 1; REMOVE SIZE; REMOVE missing')]);
    publish(bus, { user: { Color: 'red', Size: 3 } });
    const [copy] = bus.receive(pathOf('a'));
    expect(Object.keys(copy ? changesOf(copy) : {})).toEqual(['Color', 'Size', 'RuleName']);
  });

  it('may set system properties, with the time to live in force at once [ACT-04, TOP-10]', () => {
    const bus = withTopic();
    subscribe(bus, 'a', {}, [
      sqlRule('one', '1 = 1', "SET sys.Label = 'new'; SET sys.To = NULL; SET sys.TimeToLive = 4000"),
    ]);
    publish(bus, { subject: 'old', to: 'x' });
    const [copy] = bus.receive(pathOf('a'));
    expect(copy?.properties.systemChanges).toEqual({ subject: 'new', to: null, timeToLiveMs: 4000 });
    expect(copy?.properties.expiresAt).toBe(START + 4000);
  });

  it('that fail send the message to the dead-letter queue of their subscription, or nowhere [TOP-09, DLQ-04]', () => {
    const bus = withTopic();
    const failing = [sqlRule('fails', '1 / amount = 1')];
    subscribe(bus, 'keeps', {}, failing);
    subscribe(bus, 'drops', { deadLetteringOnFilterEvaluationExceptions: false }, failing);
    subscribe(bus, 'acts', {}, [sqlRule('fails', '1 = 1', 'SET x = 1 / amount')]);
    subscribe(bus, 'fine');
    const { result } = publish(bus, event({ user: { amount: 0 } }));
    expect(result.kind).toBe('sent');
    const reasons = ['keeps', 'acts'].map(
      (name) => changesOf(bus.receiveOne(pathOf(name) + DEAD)).DeadLetterReason,
    );
    expect(reasons).toEqual(['FilterException', 'RuleActionException']);
    for (const name of ['keeps', 'drops', 'acts']) expect(bus.peek(pathOf(name))).toEqual([]);
    expect(bus.peek(pathOf('drops') + DEAD)).toEqual([]);
    expect(bus.peek(pathOf('fine'))).toHaveLength(1);
  });

  it('cannot make a copy that could not have been sent: it is dead-lettered [TOP-09, MSG-07, MSG-08]', () => {
    const bus = withTopic();
    const doubled = (count: number) => `SET a = '${'x'.repeat(30)}'${'; SET a = a + a'.repeat(count)}`;
    subscribe(bus, 'endless', {}, [sqlRule('r', '1 = 1', doubled(30))]);
    subscribe(bus, 'large', {}, [sqlRule('r', '1 = 1', `${doubled(10)}; SET b = a; SET c = a; SET d = a`)]);
    subscribe(bus, 'id', {}, [sqlRule('r', '1 = 1', `SET sys.SessionId = '${'x'.repeat(129)}'`)]);
    expect(publish(bus, {}).result.kind).toBe('sent');
    const texts = ['endless', 'large', 'id'].map(
      (name) => changesOf(bus.receiveOne(pathOf(name) + DEAD)).DeadLetterErrorDescription,
    );
    expect(texts[0]).toContain('the limit is 32768');
    expect(texts[1]).toContain('the limit is 65536');
    expect(texts[2]).toContain('129 characters');
  });

  it('hold for messages accepted afterwards, and are kept over a restart [TOP-08, TOP-11]', () => {
    const bus = withSubscriptions('a');
    publish(bus, { body: 'before' });
    succeed(addRule(bus, 'a', sqlRule('red', "color = 'red'")));
    succeed(removeRule(bus, 'a', '$default'));
    publish(bus, { user: { color: 'blue' } }, { user: { color: 'red' } });
    expect(numbersIn(bus, pathOf('a'))).toEqual([1, 3]);
    const restarted = bus.restarted();
    expect(ruleNames(restarted, 'a')).toEqual(['red']);
    publish(restarted, { user: { color: 'blue' } }, { user: { color: 'red' } });
    expect(numbersIn(restarted, pathOf('a'))).toEqual([1, 3, 5]);
  });

  it('have names, in any case the same, and are listed by them [TOP-11]', () => {
    const bus = withTopic();
    subscribe(
      bus,
      'a',
      {},
      ['b', 'C', 'a'].map((name) => sqlRule(name, '1 = 1')),
    );
    expect(ruleNames(bus, 'a')).toEqual(['a', 'b', 'C']);
    expect(ruleNames(bus, 'a', 1, 1)).toEqual(['b']);
    expect(failureOf(addRule(bus, 'a', sqlRule('c', '1 = 1')))).toEqual({
      reason: 'entity-already-exists',
      message: "The messaging entity 'events/Subscriptions/a/C' already exists.",
    });
    expect(failureOf(removeRule(bus, 'a', 'd'))?.reason).toBe('entity-not-found');
    expect(failureOf(addRule(bus, 'a', sqlRule('x'.repeat(51), '1 = 1')))?.reason).toBe('argument');
    expect(failureOf(addRule(bus, 'a', sqlRule('bad', 'color =')))?.message).toContain('line 1');
    expect(ruleNames(bus, 'a')).toHaveLength(3);
  });

  it('are evaluated only once each, and the content is read only if one needs it [TOP-07]', () => {
    const bus = withTopic();
    for (let index = 0; index < 20; index++) subscribe(bus, `s${index}`);
    publish(bus, { body: 'x' });
    expect(bus.reader.readCount).toBe(0);
    for (let index = 0; index < 20; index++) addRule(bus, `s${index}`, sqlRule('red', "color = 'red'"));
    publish(bus, { body: 'x' });
    expect(bus.reader.readCount).toBe(1);
  });

  it('look up the spelling of a name only in a message that was changed on its way [SQL-05]', () => {
    const bus = withTopic();
    subscribe(bus, 'a', {}, [sqlRule('red', "color = 'red'")]);
    publish(bus, { user: { color: 'red' } });
    expect(bus.reader.spellingCount).toBe(0);
    expect(bus.receiveOne(pathOf('a'))).toBeDefined();
    addRule(bus, 'a', sqlRule('set', "COLOR = 'red'", "SET color = 'blue'"));
    publish(bus, { user: { color: 'red' } });
    expect(bus.reader.spellingCount).toBeGreaterThan(0);
  });
});

describe('a subscription that requires sessions', () => {
  it('gets copies with a session id, and dead-letters the others [SES-20, DLQ-04]', () => {
    const bus = withTopic();
    subscribe(bus, 'a', { requiresSession: true });
    subscribe(bus, 'made', { requiresSession: true }, [
      sqlRule('one', '1 = 1', "SET sys.SessionId = 'made'"),
    ]);
    publish(bus, { sessionId: 's', body: '1' }, { body: '2' });
    const list = { kind: 'list-sessions', skip: 0, maxCount: 9, stateSetAfter: undefined } as const;
    const sessionsOf = (name: string) => bus.execute({ ...list, entityPath: pathOf(name) }).result;
    expect(sessionsOf('a')).toEqual({ kind: 'sessions', sessionIds: ['s'] });
    expect(sessionsOf('made')).toEqual({ kind: 'sessions', sessionIds: ['made'] });
    expect(changesOf(bus.receiveOne(pathOf('a') + DEAD))).toEqual({
      DeadLetterReason: 'Session id is null.',
      DeadLetterErrorDescription:
        "Session enabled entity doesn't allow a message whose session identifier is null.",
    });
    expect(
      messagesOf(bus.execute({ kind: 'peek', entityPath: pathOf('a'), fromSequenceNumber: 0, maxCount: 9 })),
    ).toHaveLength(1);
  });
});
