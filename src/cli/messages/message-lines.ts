// Messages as lines of output: JSON for programs, and a few lines for people.

import { NO_PROPERTIES, type PropertyParts } from '../../content/message-parts.js';
import type { JsonForm, ShownMessage } from '../../content/shown-message.js';
import type { TypedValue } from '../../content/typed-value.js';

type JsonMessage = ShownMessage<JsonForm>;

export type FormatMessage = (message: JsonMessage) => string;

const SENT = Object.keys(NO_PROPERTIES) as (keyof PropertyParts)[];

export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** Writes a line with the number and the properties, then the reason of a dead letter, the application properties, and the body. */
export const messageText: FormatMessage = (message) => {
  const { sequenceNumber, state, enqueuedTime, deliveryCount } = message;
  const facts = SENT.map((name) => [name, message[name]] as const);
  const head = [
    `#${sequenceNumber ?? '?'}`,
    ...(state === undefined || state === 'active' ? [] : [state]),
    ...(enqueuedTime === undefined ? [] : [enqueuedTime]),
    ...facts.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${shownValue(value)}`])),
    ...(deliveryCount > 0 ? [`deliveryCount=${deliveryCount}`] : []),
  ];
  const lines = [head.join(' '), ...reasonLines(message), ...propertyLines(message), bodyText(message)];
  return `${lines.join('\n')}\n`;
};

function reasonLines({ deadLetterReason, deadLetterErrorDescription }: JsonMessage): readonly string[] {
  if (deadLetterReason === undefined) return [];
  const why = deadLetterErrorDescription === undefined ? '' : `: ${shownValue(deadLetterErrorDescription)}`;
  return [`  dead: ${shownValue(deadLetterReason)}${why}`];
}

function propertyLines({ applicationProperties }: JsonMessage): readonly string[] {
  return Object.entries(applicationProperties)
    .filter(([name]) => !/^DeadLetter(Reason|ErrorDescription)$/.test(name))
    .map(([name, typed]) => `  ${shownValue(name)}: ${typedText(typed)}`);
}

function typedText({ type, value }: TypedValue): string {
  return type === 'string' ? shownValue(value) : `${shownValue(value)} (${type})`;
}

/** Writes plain words as they are and everything else as JSON, because a terminal obeys control characters. */
function shownValue(value: unknown): string {
  return typeof value === 'string' && /^[\p{L}\p{N}][\p{L}\p{N} .,:;@/+_()'-]*$/u.test(value)
    ? value
    : safeJson(value);
}

/** Also escapes the control characters that JSON leaves as they are. */
function safeJson(value: unknown): string {
  return escaped(JSON.stringify(value), /[\p{Cc}\p{Cf}]/gu);
}

function escaped(text: string, characters: RegExp): string {
  return text.replace(characters, (character) => {
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}

/** Characters that change the direction of a line, with which a text could hide or fake what is on it. */
const BIDIRECTIONAL = /\p{Bidi_Control}/gu;

/** Shows the body. A body counts as text only if its control characters are line ends, tabs, or characters that change the direction. */
function bodyText({ body }: JsonMessage): string {
  switch (body.kind) {
    case 'empty':
      return '  (no body)';
    case 'text':
      return escaped(body.text, BIDIRECTIONAL).replace(/\r\n?/g, '\n').replace(/^/gm, '  ').trimEnd();
    case 'base64':
      return `  (${body.sizeBytes} bytes) ${body.base64}`;
    case 'json':
    case 'value':
    case 'sequence':
      return `  ${safeJson(body.value)}`;
    default:
      return body satisfies never;
  }
}
