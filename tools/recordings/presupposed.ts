// Finds what must exist before a recording: entities that it reads, changes or forwards to without having made them.

import type { Exchange } from './read-recording.js';

export type Presupposed = {
  readonly path: string;
  /** An entry with its description. */
  readonly body: Buffer;
  /** A default rule comes with its subscription, and is changed. */
  readonly comesWithParent: boolean;
};

const DESCRIPTION = {
  queue: 'QueueDescription',
  topic: 'TopicDescription',
  subscription: 'SubscriptionDescription',
};
const ENTRY = /<entry[ >].*?<id>(.*?)<\/id>.*?<content type="application\/xml">(.*?)<\/content><\/entry>/gs;
const FORWARDING = /<(Forward(?:To|DeadLetteredMessagesTo))>(?:\w+:\/\/[^/]*\/)?([^<]*)<\/\1>/g;

/** Each with the description that the service returned for it first, parents and forwarding targets before those who need them. */
export function presupposedBy(exchanges: readonly Exchange[]): readonly Presupposed[] {
  const known = new Set<string>();
  const presupposed: Presupposed[] = [];
  const need = (path: string, description = defaultDescription(path)) => {
    if (known.has(path.toLowerCase())) return;
    known.add(path.toLowerCase());
    needBefore(path, description);
    const comesWithParent = /\/rules\/\$default$/i.test(path);
    presupposed.push({ path, body: entryOf(description), comesWithParent });
  };
  const needBefore = (path: string, description: string) => {
    const parents = /^((.*)\/subscriptions\/[^/]*)(?:\/rules\/[^/]*)?$/i.exec(path);
    if (parents?.[2] !== undefined) need(parents[2], defaultDescription(`${path}`, 'topic'));
    if (parents?.[1] !== undefined && parents[1] !== path) need(parents[1]);
    for (const [, , target = ''] of description.matchAll(FORWARDING)) need(`/${target}`);
  };
  for (const exchange of exchanges) {
    const { method, url, body, answer } = exchange;
    const pathname = decodeURIComponent(url.pathname);
    const isDone = answer.status < 300;
    if (method === 'GET' && isDone) {
      for (const [, id = '', description] of answer.body.matchAll(ENTRY)) {
        const path = decodeURIComponent(new URL(id.replaceAll('&amp;', '&')).pathname);
        if (!path.startsWith('/$')) need(path, description);
      }
    } else if (isDescribing(exchange) && isDone && !isUpdate(exchange)) {
      needBefore(pathname, String(body ?? answer.body));
      for (const made of [pathname, `${pathname}/rules/$default`]) known.add(made.toLowerCase());
    } else if (answer.status === 409 || (isDone && !isOfMessages(pathname))) {
      need(pathname, descriptionIn(String(body ?? answer.body)));
    } else if (answer.body.includes(':Topic:')) {
      // The error of what is missing in a topic names the topic, which is there.
      needBefore(pathname, '');
    }
  }
  return presupposed;
}

/** Whether it makes or changes an entity. */
export function isDescribing({ method, url }: Exchange): boolean {
  return method === 'PUT' && !isOfMessages(url.pathname);
}

/** Whether it changes an entity. Java's recordings do not hold the header that says so. */
export function isUpdate(exchange: Exchange): boolean {
  return isDescribing(exchange) && (exchange.headers.has('if-match') || exchange.answer.status === 200);
}

/** What was sent, if the recording does not hold it: the description that the service returned. */
export function bodyInAnswer({ url, answer }: Exchange): Buffer {
  return entryOf(descriptionIn(answer.body) ?? defaultDescription(url.pathname));
}

function isOfMessages(pathname: string): boolean {
  return pathname.includes('/messages');
}

function descriptionIn(entry: string): string | undefined {
  return /<(?:\w+:)?content type="application\/xml">(.*)<\/(?:\w+:)?content>/s.exec(entry)?.[1];
}

function defaultDescription(path: string, kind?: 'topic'): string {
  const isRule = /\/rules\/[^/]*$/i.test(path);
  const ofPath = /\/subscriptions\//i.test(path) ? DESCRIPTION.subscription : DESCRIPTION.queue;
  const name = kind === 'topic' ? DESCRIPTION.topic : isRule ? 'RuleDescription' : ofPath;
  return `<${name} xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"/>`;
}

function entryOf(description: string): Buffer {
  const once = description.replace(/(?<=^<[^>]*>).*(?=<\/\w+>$)/s, withoutRepetitions);
  return Buffer.from(
    `<entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml">${once}</content></entry>`,
  );
}

/** An early Java sent elements in an order in which the service did not read them. It returned them behind the values that it used. */
function withoutRepetitions(elements: string): string {
  const seen = new Set<string>();
  return elements.replaceAll(/<(\w+)(?: [^>]*)?(?:\/>|>.*?<\/\1>)/gs, (element, name) =>
    seen.has(name) ? '' : seen.add(name) && element,
  );
}
