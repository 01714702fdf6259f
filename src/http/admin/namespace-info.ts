// What is told of the namespace itself.

import { textElement } from '../xml/write-xml.js';
import type { AdminCall } from './admin-call.js';
import { entryResponse, isoTime, namespaceNameOf } from './atom.js';

const SKU = { basic: 'Basic', standard: 'Standard', premium: 'Premium' } as const;

/** Nothing of it can change, so that it is as old as this run of the emulator. */
export function tellNamespace({ url, context }: AdminCall): Response {
  const { tier, startedTime } = context;
  const time = startedTime.getTime();
  const name = namespaceNameOf(url);
  const content = [
    textElement('CreatedTime', isoTime(time)),
    textElement('MessagingSKU', SKU[tier]),
    tier === 'premium' ? textElement('MessagingUnits', 1) : '',
    textElement('ModifiedTime', isoTime(time)),
    textElement('Name', name),
    textElement('NamespaceType', 'Messaging'),
  ].join('');
  return entryResponse(
    {
      path: '$namespaceinfo',
      title: name,
      publishedTime: time,
      updatedTime: time,
      contentName: 'NamespaceInfo',
      content,
    },
    url,
  );
}
