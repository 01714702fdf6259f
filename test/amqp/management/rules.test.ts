// The rules of a subscription through `$management`: added, listed and removed, and what then comes to the subscription.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  double,
  type Encoded,
  int,
  long,
  map,
  NULL,
  str,
  timestamp,
  uint,
} from '../../support/frame-encoder.js';
import {
  applicationProperties,
  dataSection,
  entryOf,
  propertiesSection,
} from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';
import { type Body, bodyOf, type Reply } from './management-client.js';
import { ARGUMENT, NOT_ALLOWED } from './refusals.js';
import { rheaInt, writtenByRhea } from './rhea-values.js';
import { Surroundings, textOf } from './surroundings.js';

const TOPIC = 'events';
const BILLING = `${TOPIC}/Subscriptions/billing`;

let given: Surroundings;
beforeEach(async () => {
  const topics = [{ name: TOPIC, subscriptions: ['billing', 'audit'] }];
  given = await Surroundings.open({ queues: ['orders'], topics });
});
afterEach(() => given.close());

function add(name: string, description: Body, path = BILLING): Promise<Reply> {
  return given.ask('add-rule', { 'rule-name': str(name), 'rule-description': bodyOf(description) }, { path });
}

const sql = (expression: string): Body => ({ 'sql-filter': bodyOf({ expression: str(expression) }) });
const correlation = (fields: Body): Body => ({ 'correlation-filter': bodyOf(fields) });
const action = (expression: string): Body => ({ 'sql-rule-action': bodyOf({ expression: str(expression) }) });

function remove(name: string, path = BILLING): Promise<Reply> {
  return given.ask('remove-rule', { 'rule-name': str(name) }, { path });
}

/** In the place of `$Default`. */
async function addAlone(name: string, description: Body): Promise<void> {
  expect(await remove('$Default')).toMatchObject({ status: 'int 200', condition: 'absent' });
  expect(await add(name, description)).toMatchObject({ status: 'int 200', condition: 'absent' });
}

function list({ skip = 0, top = 100 } = {}, path = BILLING): Promise<Reply> {
  return given.ask('enumerate-rules', { skip: int(skip), top: int(top) }, { path });
}

/** Of the rules of a page, without what is their time of creation. */
function rulesIn({ status, body }: Reply): string[] {
  if (status === 'int 204') return [];
  const rules = entryOf(body, 'rules');
  if (rules?.type !== 'list') throw new Error(`a list is expected, not ${notation(rules)}`);
  return rules.value.map((rule) => notation(entryOf(rule, 'rule-description')));
}

function namesIn(reply: Reply): string[] {
  return rulesIn(reply).map((rule) => /"([^"]*)", timestamp \d+\]$/.exec(rule)?.[1] ?? rule);
}

function message(text: string, properties: Record<string, Encoded>, subject = ''): Buffer {
  return Buffer.concat([
    propertiesSection({ messageId: str(text), subject: str(subject) }),
    applicationProperties(properties),
    dataSection(text),
  ]);
}

async function textsIn(path = BILLING): Promise<string[]> {
  return (await given.peek(path)).map(textOf);
}

describe('the rules of a subscription', () => {
  it('start with one that matches everything and has a creation time [TOP-02]', async () => {
    const reply = await list();
    expect(reply).toMatchObject({ status: 'int 200', condition: 'absent' });
    expect(rulesIn(reply)).toEqual([
      `ulong 1335734829060[ulong 83483426823[], ulong 1335734829061[], "$Default", timestamp ${given.now}]`,
    ]);
  });

  it('are listed by name, in pages, and past the last as no content [TOP-11]', async () => {
    await add('sqlRule', sql('price > 10'));
    await add('correlationRule', { ...correlation({ label: str('l') }), ...action('SET a = 1') });
    await add('Beta', sql('1=1'));
    expect(namesIn(await list())).toEqual(['$Default', 'Beta', 'correlationRule', 'sqlRule']);
    expect(namesIn(await list({ top: 2_147_483_647 }))).toHaveLength(4);
    expect(namesIn(await list({ top: 2 }))).toEqual(['$Default', 'Beta']);
    expect(namesIn(await list({ skip: 2, top: 1 }))).toEqual(['correlationRule']);
    expect(namesIn(await list({ skip: 3, top: 100 }))).toEqual(['sqlRule']);
    expect(await list({ skip: 4 })).toMatchObject({ status: 'int 204', condition: 'absent' });
    expect(await list({ skip: 2_147_483_647 })).toMatchObject({ status: 'int 204' });
  });
});

describe('a rule that is added', () => {
  it('matches messages that are sent afterwards, and no others [TOP-05, TOP-08]', async () => {
    await given.sendTo(TOPIC, message('before', { color: str('blue') }));
    await addAlone('red', sql("color = 'red'"));
    const messages = ['red', 'blue', 'red'].map((color, index) => message(`${index}`, { color: str(color) }));
    await given.sendTo(TOPIC, ...messages);
    expect(await textsIn()).toEqual(['before', '0', '2']);
  });

  it('with a correlation filter as JavaScript writes it compares numbers of any width, and never with a text [COR-01, COR-02]', async () => {
    const filter = { label: undefined, properties: { size: 2, sent: new Date(1000) } };
    const body = { 'rule-name': 'two', 'rule-description': { 'correlation-filter': filter } };
    await remove('$Default');
    expect(await given.ask('add-rule', writtenByRhea(body), { path: BILLING })).toMatchObject({
      status: 'int 200',
    });
    const sent = timestamp(1000);
    await given.sendTo(
      TOPIC,
      message('int', { size: int(2), sent }),
      message('long', { size: long(2), sent }),
      message('uint', { size: uint(2), sent }),
      message('double', { size: double(2), sent }),
      message('string', { size: str('2'), sent }),
      message('null', { size: NULL, sent }),
      message('other', { size: int(3), sent }),
      message('earlier', { size: int(2), sent: timestamp(999) }),
      message('none', {}),
    );
    expect(await textsIn()).toEqual(['int', 'long', 'uint', 'double']);
  });

  it('with an action makes a copy of its own, changed and with the name of the rule [TOP-03, TOP-04]', async () => {
    const changing = action("SET amount = amount + 1; SET sys.Label = 'counted'; REMOVE secret");
    await add('counting', { ...sql('amount > 0'), ...changing });
    await given.sendTo(TOPIC, message('one', { amount: int(4), secret: str('s') }, 'new'));
    const copies = (await given.peek(BILLING)).map((copy) => [
      notation(copy.property('subject')),
      notation(copy.section('applicationProperties')?.value),
    ]);
    expect(copies).toHaveLength(2);
    expect(copies).toContainEqual(['"new"', '{"amount": int 4, "secret": "s"}']);
    expect(copies).toContainEqual(['"counted"', '{"amount": long 5, "RuleName": "counting"}']);
  });

  it('with an action is listed with it, word for word', async () => {
    await addAlone('rule', { ...sql(' a  =  1 '), ...action('SET  a = 2;') });
    expect(rulesIn(await list())).toEqual([
      `ulong 1335734829060[ulong 83483426822[" a  =  1 ", int 20], ulong 1335734829062["SET  a = 2;", int 20], "rule", timestamp ${given.now}]`,
    ]);
  });

  it('may use parameters, of the types in which they came [SQL-20]', async () => {
    const parameters = map([[str('@least'), long(5)]]);
    await addAlone('rule', { 'sql-filter': bodyOf({ expression: str('amount >= @least'), parameters }) });
    await given.sendTo(TOPIC, message('4', { amount: int(4) }), message('5', { amount: double(5) }));
    expect(await textsIn()).toEqual(['5']);
  });

  it.each([
    ['1=1', ['one']],
    ['1=0', []],
  ])('as the filter %s is the true or the false one [SQL-24]', async (expression, expected) => {
    await addAlone('rule', sql(expression));
    await given.sendTo(TOPIC, 'one');
    expect(await textsIn()).toEqual(expected);
  });
});

describe('a rule is refused', () => {
  const TRACKED = / TrackingId:\S+, SystemTracker:\S+:Topic:events\|billing\S*, Timestamp:\S+$/;

  it('when its name exists in any case, in the words that the JavaScript SDK shows [TOP-11, ERR-01]', async () => {
    await add('ruleName', correlation({ label: str('yellow') }));
    const reply = await add('RULENAME', correlation({ label: str('red') }));
    expect(reply).toMatchObject({
      status: 'int 409',
      condition: "'com.microsoft:entity-already-exists",
      description: expect.stringMatching(/^The messaging entity '.*\/ruleName' already exists\. /),
      body: { type: 'map', value: [] },
    });
    expect(reply.description).toMatch(TRACKED);
    expect(rulesIn(await list())[1]).toContain('"yellow"');
  });

  it('when it is to be removed and does not exist [TOP-11, ERR-04]', async () => {
    const reply = await remove('nobody');
    expect(reply).toMatchObject({ status: 'int 404', condition: "'amqp:not-found" });
    expect(reply.description).toMatch(/^The messaging entity 'sb:\/\/.*\/nobody' could not be found\. /);
    expect(await remove('$default')).toMatchObject({ status: 'int 200' });
    expect(await remove('$Default')).toMatchObject({ status: 'int 404' });
  });

  it.each<[string, string, Body, string | RegExp]>([
    ['with SQL that is none [SQL-23]', 'rule', sql('price >'), /line 1, column \d+/i],
    ['with no SQL [SQL-21]', 'rule', sql(''), /./],
    [
      'with an unknown broker property [SQL-08]',
      'rule',
      sql('sys.Colour = 1'),
      /line 1, column \d+.*'Colour'/,
    ],
    [
      'with an action that is none [ACT-01]',
      'rule',
      { ...sql('1=1'), ...action('SET') },
      /line 1, column \d+/i,
    ],
    [
      'with a filter that names nothing [COR-01]',
      'rule',
      correlation({ label: NULL, properties: map([]) }),
      /one/,
    ],
    ['with a name of 51 characters [TOP-11]', 'r'.repeat(51), sql('1=1'), /50/],
    ['without a name', '', sql('1=1'), "'' cannot be the name of a rule"],
  ])('and nothing is added: one %s', async (_, name, description, text) => {
    const reply = await add(name, description);
    expect(reply).toMatchObject(ARGUMENT);
    expect(reply.description).toMatch(text);
    expect(namesIn(await list())).toEqual(['$Default']);
  });

  it.each<[string, string]>([
    ['a queue', 'orders'],
    ['the dead-letter queue of a queue', 'orders/$DeadLetterQueue'],
    ['a topic', TOPIC],
    ['the dead-letter queue of a subscription', `${BILLING}/$DeadLetterQueue`],
  ])('by %s, which has no rules', async (_, path) => {
    for (const reply of [
      await add('rule', sql('1=1'), path),
      await remove('rule', path),
      await list({}, path),
    ]) {
      expect(reply).toMatchObject(NOT_ALLOWED);
      expect(reply.description).toContain(`'${path}' is not a subscription`);
    }
  });
});

describe('a page of rules', () => {
  it('has all the rules when JavaScript requests it', async () => {
    const body = writtenByRhea({ top: rheaInt(2_147_483_647), skip: rheaInt(0) });
    expect(namesIn(await given.ask('enumerate-rules', body, { path: BILLING }))).toEqual(['$Default']);
  });
});
