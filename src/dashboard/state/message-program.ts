// Programs that send a message like a given one.

import type { RawMessageAnswer } from '../../http/control/control-schemas.js';
import { shownText } from './format.js';
import { propertyLiteral, type TypedValue } from './property-literals.js';

export const COPY_LANGUAGES = [
  ['js', 'JS'],
  ['csharp', 'C#'],
  ['java', 'Java'],
  ['python', 'Python'],
  ['go', 'Go'],
  ['curl', 'curl'],
] as const;
export type CopyLanguage = (typeof COPY_LANGUAGES)[number][0];

type Message = Pick<RawMessageAnswer, 'properties' | 'applicationProperties' | 'body'>;
type Field = readonly [name: string, value: string];

/** The program as text. Signs that would change how it reads are escaped, as in a string of each of these languages. */
export function programFor(language: CopyLanguage, message: Message, path: string): string {
  return shownText(writeProgram(language, message, path), Number.POSITIVE_INFINITY);
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

function javascript({ properties, applicationProperties, body }: Message): string {
  const fields = textFields(properties).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`);
  const own = Object.entries(applicationProperties).map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${jsValue(value)},`,
  );
  return [
    'await sender.sendMessages({',
    ...fields,
    ...ttl(properties, (ms) => `  timeToLive: ${ms},`),
    `  body: ${indented(jsBody(body), 2)},`,
    ...(own.length === 0 ? [] : ['  applicationProperties: {', ...own, '  },']),
    '});',
  ].join('\n');
}

function jsValue({ type, value }: TypedValue): string {
  if (type === 'timestamp') return `new Date(${JSON.stringify(value)})`;
  return JSON.stringify(value);
}

function csharp({ properties, applicationProperties, body }: Message): string {
  const fields = textFields(properties).map(
    ([name, value]) => `    ${upper(name)} = ${JSON.stringify(value)},`,
  );
  const own = Object.entries(applicationProperties).map(
    ([name, value]) =>
      `message.ApplicationProperties[${JSON.stringify(name)}] = ${propertyLiteral('csharp', value)};`,
  );
  return [
    `var message = new ServiceBusMessage(${bytesOrText(body, (base64) => `Convert.FromBase64String("${base64}")`)})`,
    '{',
    ...fields,
    ...ttl(properties, (ms) => `    TimeToLive = TimeSpan.FromMilliseconds(${ms}),`),
    '};',
    ...own,
    'await sender.SendMessageAsync(message);',
  ].join('\n');
}

function java({ properties, applicationProperties, body }: Message): string {
  const fields = textFields(properties).map(
    ([name, value]) => `message.set${upper(name)}(${JSON.stringify(value)});`,
  );
  const own = Object.entries(applicationProperties).map(
    ([name, value]) =>
      `message.getApplicationProperties().put(${JSON.stringify(name)}, ${propertyLiteral('java', value)});`,
  );
  return [
    `var message = new ServiceBusMessage(${bytesOrText(body, (base64) => `Base64.getDecoder().decode("${base64}")`)});`,
    ...fields,
    ...ttl(properties, (ms) => `message.setTimeToLive(Duration.ofMillis(${ms}));`),
    ...own,
    'sender.sendMessage(message);',
  ].join('\n');
}

function python({ properties, applicationProperties, body }: Message): string {
  const fields = textFields(properties).map(
    ([name, value]) => `    ${snake(name)}=${JSON.stringify(value)},`,
  );
  const own = Object.entries(applicationProperties).map(
    ([name, value]) => `        ${JSON.stringify(name)}: ${propertyLiteral('python', value)},`,
  );
  return [
    'sender.send_messages(ServiceBusMessage(',
    `    ${bytesOrText(body, (base64) => `base64.b64decode("${base64}")`)},`,
    ...fields,
    ...ttl(properties, (ms) => `    time_to_live=timedelta(milliseconds=${ms}),`),
    ...(own.length === 0 ? [] : ['    application_properties={', ...own, '    },']),
    '))',
  ].join('\n');
}

function go({ properties, applicationProperties, body }: Message): string {
  const fields = textFields(properties).map(
    ([name, value]) => `\t${upper(name).replace(/Id$/, 'ID')}: to.Ptr(${JSON.stringify(value)}),`,
  );
  const own = Object.entries(applicationProperties).map(
    ([name, value]) => `\t\t${JSON.stringify(name)}: ${propertyLiteral('go', value)},`,
  );
  return [
    'err := sender.SendMessage(ctx, &azservicebus.Message{',
    `\tBody: []byte(${bytesOrText(body, goBytes)}),`,
    ...fields,
    ...ttl(properties, (ms) => `\tTimeToLive: to.Ptr(${ms} * time.Millisecond),`),
    ...(own.length === 0 ? [] : ['\tApplicationProperties: map[string]any{', ...own, '\t},']),
    '}, nil)',
  ].join('\n');
}

function curl(message: Message, path: string): string {
  const { properties, applicationProperties, body } = message;
  const sent = {
    ...(body.kind === 'base64'
      ? { bodyBase64: body.base64 }
      : { body: body.kind === 'json' ? body.value : bodyText(body) }),
    ...Object.fromEntries(textFields(properties)),
    ...(properties.timeToLiveMs === undefined ? {} : { timeToLiveMs: properties.timeToLiveMs }),
    ...(Object.keys(applicationProperties).length === 0 ? {} : { applicationProperties }),
  };
  const address = `${location.origin}/%24jitney/v1/messages?entity=${encodeURIComponent(path).replaceAll("'", '%27')}`;
  const json = JSON.stringify(sent, null, 2).replaceAll("'", "'\\''");
  return `curl -s -H 'Content-Type: application/json' '${address}' -d '${json}'`;
}

function ttl({ timeToLiveMs }: Message['properties'], write: (ms: number) => string): readonly string[] {
  return timeToLiveMs === undefined ? [] : [write(timeToLiveMs)];
}

/** The properties that are texts, under the names of the JavaScript SDK. */
function textFields(properties: Message['properties']): readonly Field[] {
  const names = [
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
  return names.flatMap((name): readonly Field[] => {
    const value = properties[name];
    return value === undefined ? [] : [[name, value]];
  });
}

function bodyText(body: Message['body']): string {
  switch (body.kind) {
    case 'json':
      return JSON.stringify(body.value);
    case 'text':
      return body.text;
    case 'base64':
      return body.base64;
    case 'empty':
      return '';
    default:
      return JSON.stringify(body.value);
  }
}

function bytesOrText(body: Message['body'], bytes: (base64: string) => string): string {
  return body.kind === 'base64' ? bytes(body.base64) : JSON.stringify(bodyText(body));
}

/** A string of Go with each byte as an escape: decoding Base64 there is no expression, as it may fail. */
function goBytes(base64: string): string {
  const escapes = [...atob(base64)].map((one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return `"${escapes.join('')}"`;
}

/** The SDK writes JSON of any body but a Buffer, so that a text which is no JSON must be one. */
function jsBody(body: Message['body']): string {
  if (body.kind === 'base64') return `Buffer.from('${body.base64}', 'base64')`;
  if (body.kind === 'json') return JSON.stringify(body.value, null, 2);
  const text = bodyText(body);
  return body.kind === 'text' && body.section === 'data'
    ? (jsonIn(text) ?? bytesOf(text))
    : JSON.stringify(text);
}

function bytesOf(text: string): string {
  return `Buffer.from(${JSON.stringify(text)})`;
}

/** The text as a value of JavaScript; undefined if it is no JSON. */
function jsonIn(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return undefined;
  }
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
