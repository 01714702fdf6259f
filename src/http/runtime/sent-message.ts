// One message out of a request: its body, `BrokerProperties`, and every header that is not HTTP's own.

import type { PropertyParts, SentParts } from '../../content/message-parts.js';
import { named } from '../../description/value-error.js';
import type { HttpCall } from '../http-call.js';
import { readHeaderText } from './header-text.js';
import { isPropertyOfRequest } from './own-headers.js';
import { readPropertyValue } from './property-value.js';
import { checkContentType, parseBrokerProperties } from './sent-broker-properties.js';

/** All that the headers say. Throws a ValueError. */
export function readSentHeaders(call: HttpCall): Omit<SentParts, 'body'> {
  return { properties: readProperties(call.request), applicationProperties: readUserProperties(call) };
}

/** The header wins where both it and `BrokerProperties` have a content type. */
function readProperties({ headers }: Request): PropertyParts {
  const json = headers.get('brokerproperties') ?? '';
  const said = named('BrokerProperties', () =>
    parseBrokerProperties(json === '' ? '{}' : readHeaderText(json)),
  );
  const contentType = headers.get('content-type') ?? '';
  if (contentType === '') return said;
  named('Content-Type', () => checkContentType(contentType));
  return { ...said, contentType };
}

function readUserProperties({ request, headerNames = [] }: HttpCall): SentParts['applicationProperties'] {
  const spellings = new Map(headerNames.map((name) => [name.toLowerCase(), name]));
  return [...request.headers]
    .filter(([name]) => isPropertyOfRequest(name))
    .map(([name, value]) => ({ name: spellings.get(name) ?? name, value: readPropertyValue(value) }));
}
