// Attacks on topics: one command that makes millions of copies, filters and actions that cost much.

import { setTimeout as sleep } from 'node:timers/promises';
import { str } from '../../../test/support/frame-encoder.js';
import { applicationProperties, dataSection } from '../../../test/support/frame-message.js';
import { type Attack, type Context, oneOf, type Told } from '../attack.js';
import { ask, control, type Door, openConnection, openSender, sendBatch } from '../client.js';

const TOPIC = 'events';
/** By then the row ends, with what is done. */
const PATIENCE_MS = 45_000;
const BATCH_OF_HTTP = 'application/vnd.microsoft.servicebus.json';

type FanOut = { readonly messages: number; readonly subscriptions: number };

/** One command with so many small messages, through one of the ways in. */
async function fanOut(context: Context, { messages, subscriptions }: FanOut): Promise<Told> {
  const { port, random, scale } = context;
  const count = Math.max(1, Math.round(messages * scale));
  const way = oneOf(random, 'tcp', 'websocket', 'http', 'control');
  const body = 'x'.repeat(random.integer(1, 20));
  const startedAt = performance.now();
  const said = await Promise.race([publish(port, way, Array<string>(count).fill(body)), sleep(PATIENCE_MS)]);
  const acceptedMs = performance.now() - startedAt;
  const doneMs = (await copiesAreMade(context, count)) ? performance.now() - startedAt : undefined;
  const problems = [
    ...(said === 'accepted' ? [] : [`the batch was not accepted: ${said}`]),
    ...(doneMs === undefined ? ['not all copies were made'] : []),
  ];
  return {
    text: `${count} x ${subscriptions} over ${way}: accepted after ${seconds(acceptedMs)}, done after ${seconds(doneMs)}`,
    problems,
  };
}

async function publish(
  port: number,
  way: Door | 'http' | 'control',
  bodies: readonly string[],
): Promise<string> {
  if (way === 'control')
    return statusText(
      await control(
        port,
        `messages?entity=${TOPIC}`,
        bodies.map((body) => ({ body })),
      ),
    );
  if (way === 'http') {
    const body = JSON.stringify(bodies.map((Body) => ({ Body })));
    const headers = { 'content-type': BATCH_OF_HTTP };
    return statusText(await ask(port, { path: `/${TOPIC}/messages`, method: 'POST', headers, body }));
  }
  const sender = await openSender(openConnection(port, way), TOPIC);
  return sendBatch(sender, bodies.map(dataSection)).then(() => 'accepted', String);
}

function statusText({ status, text }: { status: number; text: string }): string {
  return status === 200 || status === 201 ? 'accepted' : `${status} ${text.slice(0, 200)}`;
}

/** Whether the last subscription has all copies before the row ends. */
async function copiesAreMade({ port }: Context, count: number): Promise<boolean> {
  const until = Date.now() + PATIENCE_MS;
  while (Date.now() < until) {
    const { text } = await control(port, `entity?entity=${TOPIC}/Subscriptions/last`);
    const { counts } = JSON.parse(text) as { counts: { active: number } };
    if (counts.active >= count) return true;
    await sleep(250);
  }
  return false;
}

const seconds = (ms: number | undefined) => (ms === undefined ? 'more' : `${(ms / 1000).toFixed(1)} s`);

function topicWith(subscriptions: number): readonly string[] {
  const names = Array.from({ length: subscriptions - 1 }, (_, index) => `s${index}`);
  return ['--topic', `${TOPIC}/${[...names, 'last'].join('+')}`];
}

function fanOutAttack(size: FanOut): Attack {
  return {
    about: `one batch of ${size.messages} messages to ${size.subscriptions} subscriptions`,
    options: topicWith(size.subscriptions),
    run: (context) => fanOut(context, size),
  };
}

const LIKE_FILTERS = 500;
const CHANGING_ACTIONS = 1000;

/** Puts subscriptions with one rule each. */
async function prepareRules(port: number, count: number, ruleOf: (index: number) => string): Promise<void> {
  const entry = (content: string) =>
    `<entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml">${content}</content></entry>`;
  const put = async (index: number) => {
    const name = index === count - 1 ? 'last' : `s${index}`;
    const rule = `<DefaultRuleDescription xmlns:i="http://www.w3.org/2001/XMLSchema-instance">${ruleOf(index)}<Name>r</Name></DefaultRuleDescription>`;
    const { status, text } = await ask(port, {
      path: `/${TOPIC}/subscriptions/${name}?api-version=2021-05`,
      method: 'PUT',
      headers: { 'content-type': 'application/atom+xml' },
      body: entry(
        `<SubscriptionDescription xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect">${rule}</SubscriptionDescription>`,
      ),
    });
    if (status !== 201) throw new Error(`a subscription was answered ${status}: ${text}`);
  };
  for (let index = 0; index < count; index += 50) {
    await Promise.all(
      Array.from({ length: Math.min(50, count - index) }, (_, offset) => put(index + offset)),
    );
  }
}

/** Sends messages with a long text as a property. */
async function sendTexts(context: Context, messages: number, length: number): Promise<Told> {
  const { port, random } = context;
  const text = oneOf(random, 'x', 'xy', 'x%', 'ab_').repeat(length).slice(0, length);
  const message = Buffer.concat([applicationProperties({ a: str(text) }), dataSection('x')]);
  const sender = await openSender(openConnection(port, oneOf<Door>(random, 'tcp', 'websocket')), TOPIC);
  const startedAt = performance.now();
  await Promise.race([sendBatch(sender, Array<Buffer>(messages).fill(message)), sleep(PATIENCE_MS)]);
  await sleep(1000);
  return {
    text: `${messages} messages of ${length} characters, accepted after ${seconds(performance.now() - startedAt - 1000)}`,
  };
}

const filterOf = (type: string, expression: string) =>
  `<Filter i:type="${type}"><SqlExpression>${expression}</SqlExpression></Filter>`;

export const TOPIC_ATTACKS: Readonly<Record<string, Attack>> = {
  // A batch of 4,000 makes 8,000,000 copies, which take three minutes beside others on two busy cores: more than a row has.
  'fan-out-largest': fanOutAttack({ messages: 400, subscriptions: 2000 }),
  'fan-out': fanOutAttack({ messages: 1000, subscriptions: 500 }),
  'fan-out-comfortable': {
    ...fanOutAttack({ messages: 100, subscriptions: 200 }),
    column: 'comfortable',
  },
  'filters-like': {
    about: `messages with long texts go through ${LIKE_FILTERS} filters with LIKE`,
    options: ['--topic', TOPIC],
    prepare: ({ port, random, scale }) =>
      prepareRules(port, Math.ceil(LIKE_FILTERS * scale), (index) => {
        const pattern = oneOf(random, `%x%y${index}%`, `%x_x%${index}`, `%${'x%'.repeat(10)}${index}`);
        return filterOf('SqlFilter', `a LIKE '${pattern}'`);
      }),
    run: (context) => sendTexts(context, 7, context.random.integer(20_000, 31_000)),
  },
  'actions-large': {
    about: `actions make large copies for ${CHANGING_ACTIONS} subscriptions`,
    options: ['--topic', TOPIC],
    prepare: ({ port, scale }) =>
      prepareRules(port, Math.ceil(CHANGING_ACTIONS * scale), () => {
        const action =
          '<Action i:type="SqlRuleAction"><SqlExpression>SET b = a; SET c = a</SqlExpression></Action>';
        return filterOf('TrueFilter', '1=1') + action;
      }),
    run: (context) => sendTexts(context, 1, context.random.integer(15_000, 28_000)),
  },
};
