// The subscriptions of JMS programs: who subscribes, and the name that the subscription has for everybody else (JMS-15).

/** The identity of a subscription of JMS, within the namespace. */
export type SubscriberIdentity = {
  /** The program's name for it, or 32 hexadecimal digits for a consumer that has named none. */
  readonly name: string;
  /** Empty for none. */
  readonly clientId: string;
  readonly isDurable: boolean;
};

export type Subscriber = SubscriberIdentity & {
  /** Undefined for one that an administrator has created: its first consumer decides (JMS-17). */
  readonly isShared: boolean | undefined;
  /** The selector of its consumers (JMS-56). The rules of the subscription may have been changed since. */
  readonly selector?: string | undefined;
};

export const MAX_SUBSCRIBER_NAME_LENGTH = 50;
export const MAX_CLIENT_ID_LENGTH = 128;

const SHOWN = /^([\w\-.~]+)\$([\w\-.~]*)\$(D|ND)$/;
const UNESCAPED = /[^\w\-.]/gu;

/** The name of the subscription: `name$client id$D`, or `$ND` if it is not durable. */
export function subscriberName({ name, clientId, isDurable }: SubscriberIdentity): string {
  return `${escaped(name)}$${escaped(clientId)}$${isDurable ? 'D' : 'ND'}`;
}

/** Undefined for the name of any other subscription. */
export function parseSubscriberName(shown: string): SubscriberIdentity | undefined {
  const [, name, clientId, end] = SHOWN.exec(shown) ?? [];
  if (name === undefined || clientId === undefined) return undefined;
  const identity = { name: unescaped(name), clientId: unescaped(clientId), isDurable: end === 'D' };
  return subscriberName(identity) === shown ? identity : undefined;
}

/** Whether name and client id have lengths that the service takes (JMS-15). */
export function isInLimits({ name, clientId }: SubscriberIdentity): boolean {
  const isNamed = name.length > 0 && name.length <= MAX_SUBSCRIBER_NAME_LENGTH;
  return isNamed && clientId.length <= MAX_CLIENT_ID_LENGTH;
}

/** A character that no name of a subscription may have is `~` and two digits for each byte of its UTF-8, and so is `~` itself. */
function escaped(text: string): string {
  return text.replace(UNESCAPED, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x80) return `~${code.toString(16).toUpperCase().padStart(2, '0')}`;
    return encodeURIComponent(character).replaceAll('%', '~');
  });
}

/** Any text if it was not escaped: the caller compares. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('~', '%'));
  } catch {
    return text;
  }
}
