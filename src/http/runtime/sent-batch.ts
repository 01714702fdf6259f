// Reads a batch of messages: a JSON array of bodies with broker properties and user properties.

import { isWithinJsonBounds, JSON_BOUNDS_TEXT } from '../../content/json-bounds.js';
import { NO_PROPERTIES, type SentParts } from '../../content/message-parts.js';
import { named, readAllParts, shown, ValueError, within } from '../../description/value-error.js';
import type { HttpRequest } from '../http-context.js';
import { fieldsOf, readBrokerProperties } from './broker-properties.js';
import { readJsonValue } from './header-values.js';

const BATCH_TYPE = 'application/vnd.microsoft.servicebus.json';

/** Whether the body is a batch: its content type has no parameters. With a charset it is the type of a single message. */
export function isBatch({ headers }: HttpRequest): boolean {
  return headers.get('content-type')?.trim().toLowerCase() === BATCH_TYPE;
}

/** Accepts an empty batch, as over AMQP (SND-13). Throws a ValueError that names the wrong message. */
export function readBatch(body: Buffer): SentParts[] {
  return named('The body', () => {
    const given = parse(body.toString());
    return readAllParts(given.map((each, index) => () => within(index, () => readMessage(each))));
  });
}

function parse(json: string): unknown[] {
  if (!isWithinJsonBounds(json)) {
    throw new ValueError(`may have ${JSON_BOUNDS_TEXT}, but has more: send fewer messages at a time`);
  }
  let given: unknown;
  try {
    given = JSON.parse(json);
  } catch {
    throw new ValueError(`must be a JSON array such as [{"Body":"text"}], not ${shown(json)}`);
  }
  if (Array.isArray(given)) return given;
  throw new ValueError(`must be a JSON array such as [{"Body":"text"}], not ${shown(given)}`);
}

function readMessage(given: unknown): SentParts {
  const fieldOf = fieldsOf(given);
  const properties = fieldOf('BrokerProperties');
  return {
    properties:
      properties === undefined
        ? NO_PROPERTIES
        : within('BrokerProperties', () => readBrokerProperties(properties)),
    applicationProperties: within('UserProperties', () => readUserProperties(fieldOf('UserProperties'))),
    body: readBody(fieldOf('Body'), fieldOf('IsBodyBase64')),
  };
}

function readUserProperties(given: unknown): SentParts['applicationProperties'] {
  if (given === undefined) return [];
  fieldsOf(given);
  return Object.entries(given as object).map(([name, value]: [string, unknown]) => {
    const read = readJsonValue(value);
    if (read !== undefined) return { name, value: read };
    return within(name, () => {
      throw new ValueError(`must be a text, a number, true, false or null, not ${shown(value)}`);
    });
  });
}

function readBody(body: unknown, isBase64: unknown): Uint8Array {
  const text = body ?? '';
  if (typeof text !== 'string') {
    return within('Body', () => {
      throw new ValueError(`must be a text, not ${shown(body)}: send an object as the text of its JSON`);
    });
  }
  if (isBase64 === undefined || isBase64 === false) return Buffer.from(text);
  if (isBase64 !== true) {
    return within('IsBodyBase64', () => {
      throw new ValueError(`must be true or false, not ${shown(isBase64)}`);
    });
  }
  const bytes = Buffer.from(text, 'base64');
  // Node skips characters that are not Base64.
  if (bytes.toString('base64') === text) return bytes;
  return within('Body', () => {
    throw new ValueError(`must be Base64 as IsBodyBase64 says, not ${shown(text)}`);
  });
}
