// Programs that send a message like a given one.

import type { RawMessageAnswer } from '../../http/control/control-schemas.js';
import { bytesOrText, jsBody, valueLiteral } from './body-literal.js';
import { bodyText } from './body-text.js';
import { destinationOf } from './destination.js';
import { shownText } from './format.js';
import { info } from './model.js';
import { goBytes, propertyLiteral, type TypedValue } from './property-literals.js';
import { isSent, sendableOf } from './sendable.js';

export const COPY_LANGUAGES = [
  ['js', 'JS'],
  ['csharp', 'C#'],
  ['java', 'Java'],
  ['python', 'Python'],
  ['go', 'Go'],
  ['curl', 'curl'],
] as const;
export type CopyLanguage = (typeof COPY_LANGUAGES)[number][0];

/** How to get the token that the command needs where keys are checked. */
const TOKEN_NOTES: readonly ((origin: string) => string)[] = [
  () => 'Keys are checked: TOKEN must be an access token, which Jitney gives as access_token at the address',
  (origin) =>
    `${origin}/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https://servicebus.azure.net`,
  () => 'for the header Metadata: true, unless it was started with --no-token-endpoint.',
];

/** The properties that are texts, under the names of the JavaScript SDK. */
const TEXTS = [
  'messageId',
  'correlationId',
  'subject',
  'contentType',
  'sessionId',
  'partitionKey',
  'to',
  'replyTo',
  'replyToSessionId',
] as const;

type Sent = Pick<RawMessageAnswer, (typeof TEXTS)[number] | 'timeToLiveMs' | 'body'>;
type Message = Sent & {
  readonly deadLetterSource?: string | undefined;
  readonly applicationProperties: Readonly<Record<string, TypedValue>>;
};
type Field = readonly [name: string, value: string];

/** The program as text. Signs that would change how it reads are escaped, as in a string of each of these languages. */
export function programFor(language: CopyLanguage, stored: RawMessageAnswer, path: string): string {
  const { applicationProperties = {} } = sendableOf(stored).message;
  const mark = language === 'python' || language === 'curl' ? '#' : '//';
  const lines = [
    ...losses(language, stored).map((loss) => `${mark} ${loss}`),
    writeProgram(language, { ...stored, applicationProperties }, path),
  ];
  return shownText(lines.join('\n'), Number.POSITIVE_INFINITY);
}

/** The parts that the program does not send as they were. No word here is the sender's: a shell that people type in may run a comment. */
function losses(language: CopyLanguage, { body, applicationProperties }: RawMessageAnswer): string[] {
  const { section } = body;
  const isChanged = section === 'sequence' || (section === 'value' && !sendsValue(language, body));
  const form = body.kind === 'base64' ? 'bytes' : language === 'js' ? 'JSON' : 'text';
  const lost = Object.values(applicationProperties).filter(({ type }) => !isSent(type));
  return [
    ...(isChanged ? [`The body is an AMQP ${section}. This program sends it as ${form}.`] : []),
    ...lost.map(({ type }) => `A property of type ${type} is not sent.`),
  ];
}

function sendsValue(language: CopyLanguage, body: Message['body']): boolean {
  return (language === 'csharp' || language === 'java') && valueLiteral(language, body) !== undefined;
}

function writeProgram(language: CopyLanguage, message: Message, path: string): string {
  switch (language) {
    case 'js':
      return javascript(message);
    case 'csharp':
      return csharp(message);
    case 'java':
      return java(message);
    case 'python':
      return python(message);
    case 'go':
      return go(message);
    case 'curl':
      return curl(message, path);
  }
}

function javascript(message: Message): string {
  const { applicationProperties, body } = message;
  const fields = textFields(message).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`);
  const own = Object.entries(applicationProperties).map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${jsValue(value)},`,
  );
  return [
    'await sender.sendMessages({',
    ...fields,
    ...ttl(message, (ms) => `  timeToLive: ${ms},`),
    `  body: ${indented(jsBody(body), 2)},`,
    ...(own.length === 0 ? [] : ['  applicationProperties: {', ...own, '  },']),
    '});',
  ].join('\n');
}

function jsValue({ type, value }: TypedValue): string {
  if (type === 'timestamp') return `new Date(${JSON.stringify(value)})`;
  return JSON.stringify(value);
}

function csharp(message: Message): string {
  const { applicationProperties, body } = message;
  const fields = textFields(message).map(([name, value]) => `    ${upper(name)} = ${JSON.stringify(value)},`);
  const own = Object.entries(applicationProperties).map(
    ([name, value]) =>
      `message.ApplicationProperties[${JSON.stringify(name)}] = ${propertyLiteral('csharp', value)};`,
  );
  const value = valueLiteral('csharp', body);
  const given =
    value === undefined ? bytesOrText(body, (base64) => `Convert.FromBase64String("${base64}")`) : '';
  return [
    `var message = new ServiceBusMessage(${given})`,
    '{',
    ...fields,
    ...ttl(message, (ms) => `    TimeToLive = TimeSpan.FromMilliseconds(${ms}),`),
    '};',
    ...(value === undefined
      ? []
      : [`message.GetRawAmqpMessage().Body = AmqpMessageBody.FromValue(${value});`]),
    ...own,
    'await sender.SendMessageAsync(message);',
  ].join('\n');
}

function java(message: Message): string {
  const { applicationProperties, body } = message;
  const fields = textFields(message).map(
    ([name, value]) => `message.set${upper(name)}(${JSON.stringify(value)});`,
  );
  const own = Object.entries(applicationProperties).map(
    ([name, value]) =>
      `message.getApplicationProperties().put(${JSON.stringify(name)}, ${propertyLiteral('java', value)});`,
  );
  const value = valueLiteral('java', body);
  const given =
    value === undefined
      ? bytesOrText(body, (base64) => `Base64.getDecoder().decode("${base64}")`)
      : `AmqpMessageBody.fromValue(${value})`;
  return [
    `var message = new ServiceBusMessage(${given});`,
    ...fields,
    ...ttl(message, (ms) => `message.setTimeToLive(Duration.ofMillis(${ms}));`),
    ...own,
    'sender.sendMessage(message);',
  ].join('\n');
}

function python(message: Message): string {
  const { applicationProperties, body } = message;
  const fields = textFields(message).map(([name, value]) => `    ${snake(name)}=${JSON.stringify(value)},`);
  const own = Object.entries(applicationProperties).map(
    ([name, value]) => `        ${JSON.stringify(name)}: ${propertyLiteral('python', value)},`,
  );
  return [
    'sender.send_messages(ServiceBusMessage(',
    `    ${bytesOrText(body, (base64) => `base64.b64decode("${base64}")`)},`,
    ...fields,
    ...ttl(message, (ms) => `    time_to_live=timedelta(milliseconds=${ms}),`),
    ...(own.length === 0 ? [] : ['    application_properties={', ...own, '    },']),
    '))',
  ].join('\n');
}

function go(message: Message): string {
  const { applicationProperties, body } = message;
  const fields = textFields(message).map(
    ([name, value]) => `\t${upper(name).replace(/Id$/, 'ID')}: to.Ptr(${JSON.stringify(value)}),`,
  );
  const own = Object.entries(applicationProperties).map(
    ([name, value]) => `\t\t${JSON.stringify(name)}: ${propertyLiteral('go', value)},`,
  );
  return [
    'err := sender.SendMessage(ctx, &azservicebus.Message{',
    `\tBody: []byte(${bytesOrText(body, goBytes)}),`,
    ...fields,
    ...ttl(message, (ms) => `\tTimeToLive: to.Ptr(${ms} * time.Millisecond),`),
    ...(own.length === 0 ? [] : ['\tApplicationProperties: map[string]any{', ...own, '\t},']),
    '}, nil)',
  ].join('\n');
}

function curl(message: Message, path: string): string {
  const { timeToLiveMs, applicationProperties, body, deadLetterSource } = message;
  const sent = {
    ...(body.kind === 'base64'
      ? { bodyBase64: body.base64 }
      : { body: body.kind === 'json' ? body.value : bodyText(body) }),
    ...Object.fromEntries(textFields(message)),
    ...(timeToLiveMs === undefined ? {} : { timeToLiveMs }),
    ...(Object.keys(applicationProperties).length === 0 ? {} : { applicationProperties }),
  };
  const entity = encodeURIComponent(destinationOf(path, deadLetterSource)).replaceAll("'", '%27');
  const address = `${location.origin}/%24jitney/v1/messages?entity=${entity}`;
  const json = JSON.stringify(sent, null, 2).replaceAll("'", "'\\''");
  const isStrict = info.value?.auth === 'strict';
  return [
    ...(isStrict ? TOKEN_NOTES.map((note) => `# ${note(location.origin)}`) : []),
    `curl -s${isStrict ? ' -H "Authorization: Bearer $TOKEN"' : ''} -H 'Content-Type: application/json' '${address}' -d '${json}'`,
  ].join('\n');
}

function ttl({ timeToLiveMs }: Sent, write: (ms: number) => string): readonly string[] {
  return timeToLiveMs === undefined ? [] : [write(timeToLiveMs)];
}

function textFields(message: Sent): readonly Field[] {
  return TEXTS.flatMap((name): readonly Field[] => {
    const value = message[name];
    return value === undefined ? [] : [[name, value]];
  });
}

function indented(text: string, by: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(by)}`);
}

function upper(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
