// Attacks with documents: JSON, XML and AMQP values that are deep, or have very many values.

import { list, str } from '../../../test/support/frame-encoder.js';
import { applicationProperties, dataSection, section } from '../../../test/support/frame-message.js';
import { ATTACKED_QUEUE, type Attack, type Context, oneOf, runOf, type Told } from '../attack.js';
import { type Answered, ask, control, openConnection, openSender, sendBatch } from '../client.js';

const JSON_TYPE = 'application/json';
const BATCH_OF_HTTP = 'application/vnd.microsoft.servicebus.json';
const XML_TYPE = 'application/atom+xml';
const BRACKETS = 20_000;
const LARGE_BYTES = 60_000_000;
const ATTRIBUTES = 110_000;

type Document = { readonly what: string; readonly text: string; readonly contentType: string };

function documents({ random, scale }: Context): readonly Document[] {
  const [open, close] = oneOf(random, ['[', ']'], ['{"a":', '}']);
  const depth = Math.round(BRACKETS * random.between(1, 3));
  const deep = `${open.repeat(depth)}1${close.repeat(depth)}`;
  const piece = oneOf(random, '[]', '{}', '1', '""', 'null');
  const many = `[${`${piece},`.repeat(Math.round((LARGE_BYTES * scale) / (piece.length + 1)))}${piece}]`;
  const attributes = Array.from({ length: 100 }, (_, index) => `a${index}="x"`).join(' ');
  const entry = (inner: string) => `<entry xmlns="http://www.w3.org/2005/Atom">${inner}</entry>`;
  return [
    { what: 'deep JSON', text: deep, contentType: JSON_TYPE },
    { what: 'deep JSON in a message', text: `{"body":${deep}}`, contentType: JSON_TYPE },
    { what: 'many JSON values', text: many, contentType: JSON_TYPE },
    { what: 'a batch of deep JSON', text: `[{"Body":${deep}}]`, contentType: BATCH_OF_HTTP },
    { what: 'a batch of many values', text: many, contentType: BATCH_OF_HTTP },
    { what: 'deep XML', text: entry('<b>'.repeat(depth)), contentType: XML_TYPE },
    {
      what: 'many attributes',
      text: entry(`<b ${attributes}/>`.repeat(ATTRIBUTES / 100)),
      contentType: XML_TYPE,
    },
    { what: 'a long text of XML', text: entry(runOf(random, 1_000_000)), contentType: XML_TYPE },
  ];
}

/** Each document at each place that reads such a document: it is refused as a mistake, and never with 500. */
async function allDocuments(context: Context): Promise<Told> {
  const { port } = context;
  const problems: string[] = [];
  let count = 0;
  for (const { what, text, contentType } of documents(context)) {
    for (const place of placesOf(contentType)) {
      const answer = await ask(port, { ...place, headers: { 'content-type': contentType }, body: text });
      count += 1;
      problems.push(...notAnswered(`${what} at ${place.method} ${place.path}`, answer));
    }
  }
  problems.push(...(await deepMessages(context)));
  return { text: `${count} documents`, problems };
}

function placesOf(contentType: string): readonly { readonly method: string; readonly path: string }[] {
  if (contentType === XML_TYPE) return [{ method: 'PUT', path: '/made-by-crowd?api-version=2021-05' }];
  if (contentType === BATCH_OF_HTTP) return [{ method: 'POST', path: `/${ATTACKED_QUEUE}/messages` }];
  return [
    `messages?entity=${ATTACKED_QUEUE}`,
    'clock:advance',
    'faults',
    `messages:delete?entity=${ATTACKED_QUEUE}`,
  ].map((call) => ({ method: 'POST', path: `/$jitney/v1/${call}` }));
}

function notAnswered(what: string, { status, text }: Answered): readonly string[] {
  return status >= 200 && status < 500 ? [] : [`${what} was answered ${status}: ${text.slice(0, 100)}`];
}

/** Messages whose bodies or properties are deep, which a look shows. */
async function deepMessages({ port, random }: Context): Promise<readonly string[]> {
  const depth = random.integer(1000, 20_000);
  const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
  let nested = list([str('x')]);
  for (let level = 0; level < random.integer(20, 200); level++) nested = list([nested]);
  const connection = openConnection(port);
  const sender = await openSender(connection, ATTACKED_QUEUE);
  const messages = [
    dataSection(deep),
    section('value', nested),
    Buffer.concat([applicationProperties({ a: nested }), dataSection('x')]),
  ];
  for (const message of messages) await sendBatch(sender, [message]).catch(() => {});
  connection.close();
  const { status, text } = await control(port, `messages?entity=${ATTACKED_QUEUE}&max=250`);
  return status === 200 ? [] : [`a look at deep messages was answered ${status}: ${text.slice(0, 100)}`];
}

export const DOCUMENT_ATTACKS: Readonly<Record<string, Attack>> = {
  documents: { about: 'JSON and XML that are deep, or have very many values', run: allDocuments },
};
