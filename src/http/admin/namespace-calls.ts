// Answers GET of the namespace: its info, its public services, and the reserved paths that name nothing.

import { ATOM, atomTime } from '../../atom/atom-format.js';
import { element, textElement } from '../../atom/xml/write-xml.js';
import { dashed } from '../../content/read-message.js';
import { RequestProblem } from '../error-response.js';
import type { HttpCall, RoutedCall } from '../http-context.js';
import { atomResponse, entryResponse, namespaceNameOf, timeInSeconds } from './atom.js';

const SKU = { basic: 'Basic', standard: 'Standard', premium: 'Premium' } as const;

/** The namespace, created when the emulator was started. */
export function getNamespaceInfo(call: RoutedCall): Response {
  const { url, context } = call;
  const { tier, startedTime } = context;
  const time = startedTime.getTime();
  const name = namespaceNameOf(url);
  const content = [
    textElement('CreatedTime', atomTime(time)),
    textElement('MessagingSKU', SKU[tier]),
    tier === 'premium' ? textElement('MessagingUnits', 1) : '',
    textElement('ModifiedTime', atomTime(time)),
    textElement('Name', name),
    textElement('NamespaceType', 'Messaging'),
  ].join('');
  return entryResponse(
    {
      title: name,
      isInTopic: false,
      publishedTime: undefined,
      updatedTime: time,
      contentName: 'NamespaceInfo',
      content,
    },
    call,
  );
}

/** The feed at the root of a namespace, which is empty: the service lists public services there, and no queue or topic is public. */
export function listServices({ context }: RoutedCall): Response {
  const feed = element(
    'feed',
    { xmlns: ATOM },
    element('title', { type: 'text' }, 'Publicly Listed Services'),
    element(
      'subtitle',
      { type: 'text' },
      'This is the list of publicly-listed services currently available.',
    ),
    textElement('id', `uuid:${dashed(context.nextGuid())};id=1`),
    textElement('updated', timeInSeconds(Date.now())),
    textElement('generator', 'Service Bus 1.1'),
  );
  return atomResponse('feed', feed, 200);
}

export function refuseReserved({ url }: HttpCall): never {
  throw new RequestProblem(404, `No service is hosted at '${url.pathname.slice(0, 300)}'.`);
}
