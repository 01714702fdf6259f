// Names clients for people: by what a program calls itself, else by its SDK, with the port that tells two programs of one SDK apart.

import type { Client } from './activity-record.js';

/** So many characters of a name from a client are kept; the name of a pod has up to 63, and a program may put its own before it. */
const MAX_LABEL_LENGTH = 128;

/** Names that SDKs make up: with a GUID, from the address of the service (.NET), or with `MF_` and digits (Java). */
const GENERATED = /[\da-f]{8}(?:-?[\da-f]{4}){3}-?[\da-f]{12}|^amqps?:|^MF_/i;
/** Go's: 40 random bytes in Base64 for URLs. Without an upper-case letter it is a name that is this long by chance, as of a pod. */
const GO_GENERATED = /^[\w-]{54}$/;

const LANGUAGES: Readonly<Record<string, string>> = {
  js: 'JavaScript',
  net: '.NET',
  java: 'Java',
  python: 'Python',
  go: 'Go',
};

/** Whether an SDK made up a name because the program gave none. */
export function isGenerated(name: string): boolean {
  return GENERATED.test(name) || (GO_GENERATED.test(name) && /[A-Z]/.test(name));
}

/**
 * The SDK and its version in a user agent, such as `azsdk-js-azureservicebus/7.9.5`, and what the program has put before it. Of another
 * user agent the first word is the product.
 */
export function readUserAgent(userAgent: string): { readonly product: string; readonly prefix?: string } {
  const words = userAgent.trim().split(/[\s,]+/);
  const at = words.findIndex((word) => /^azsdk-/i.test(word));
  if (at <= 0) return { product: words[0] ?? '' };
  return { product: words[at] ?? '', prefix: words.slice(0, at).join(' ') };
}

/** `JavaScript 7.9.5` of `azsdk-js-azureservicebus/7.9.5`. */
export function productName(product: string): string {
  const [, language, version] = /^azsdk-(\w+)-[\w.-]*servicebus\/v?([\d.a-z-]+)/i.exec(product) ?? [];
  const name = language === undefined ? undefined : LANGUAGES[language.toLowerCase()];
  return name === undefined ? product : `${name} ${version}`;
}

type Named = Pick<Client, 'name' | 'product'> & {
  /** The words that the program has put before the SDK's user agent. */
  readonly prefix?: string | undefined;
  readonly port?: number | undefined;
};

/** The name that a program has given itself, without the port: `billing` of `billing :53412`. Undefined if it gave none. */
export function chosenName({
  name,
  product,
  label,
}: Pick<Client, 'name' | 'product' | 'label'>): string | undefined {
  const ofSdk = clientLabel({ name: '', product });
  const plain = label.replace(/ :\d{1,5}$/, '');
  return plain === ofSdk || (plain === name && isGenerated(name)) ? undefined : plain;
}

/** `billing :53412`, or `JavaScript 7.9.5 :53412` for a program that gives itself no name. */
export function clientLabel({ name, product, prefix, port }: Named): string {
  const given = prefix ?? (isGenerated(name) ? undefined : name);
  const label = cutName(given || (product === undefined ? name : productName(product)));
  return port === undefined ? label : `${label} :${port}`;
}

/** A name that is cut says so. */
function cutName(name: string): string {
  return name.length <= MAX_LABEL_LENGTH ? name : `${name.slice(0, MAX_LABEL_LENGTH - 1)}…`;
}

/** The label and the identifier in one text: `JavaScript 7.9.5 :53412, worker-1`. */
export function clientText({ label, identifier }: Pick<Client, 'label' | 'identifier'>): string {
  return identifier === undefined ? label : `${label}, ${identifier}`;
}
