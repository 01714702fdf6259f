// The feed at the root of a namespace: the service lists what is public there, which of queues and topics is none.

import { element, textElement } from '../xml/write-xml.js';
import type { AdminCall } from './admin-call.js';
import { ATOM, atomResponse, updatedNow } from './atom.js';

export function tellServices({ context }: AdminCall): Response {
  const feed = element(
    'feed',
    { xmlns: ATOM },
    element('title', { type: 'text' }, 'Publicly Listed Services'),
    element(
      'subtitle',
      { type: 'text' },
      'This is the list of publicly-listed services currently available.',
    ),
    textElement('id', `uuid:${context.nextGuid()}`),
    textElement('updated', updatedNow()),
    textElement('generator', 'Service Bus 1.1'),
  );
  return atomResponse('feed', feed, 200);
}
