// The body of a shown message as one text, for filters and lists.

/** An AMQP value with its type; an array holds further ones. */
type Typed = { readonly type: string; readonly value: unknown };

/** A body as the control interface shows it. These types name no other file, because a browser loads this one. */
export type ShownBody =
  | { readonly kind: 'empty' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'base64'; readonly base64: string }
  | { readonly kind: 'value'; readonly value: Typed }
  | { readonly kind: 'sequence'; readonly value: readonly Typed[] };

/** The values of AMQP are written without their types, which a list need not show. */
export function textOfBody(body: ShownBody): string {
  switch (body.kind) {
    case 'empty':
      return '';
    case 'json':
      return JSON.stringify(body.value);
    case 'text':
      return body.text;
    case 'base64':
      return body.base64;
    case 'value':
      return typeof body.value.value === 'string' ? body.value.value : JSON.stringify(plainOf(body.value));
    case 'sequence':
      return JSON.stringify(body.value.map(plainOf));
  }
}

/** An AMQP value without its types. */
export function plainOf({ type, value }: Typed): unknown {
  if (!Array.isArray(value)) return value;
  if (type !== 'map') return value.map((one) => (isTyped(one) ? plainOf(one) : one));
  const entries = value.filter((one): one is [Typed, Typed] => Array.isArray(one));
  return Object.fromEntries(entries.map(([key, one]) => [String(plainOf(key)), plainOf(one)]));
}

function isTyped(given: unknown): given is Typed {
  return typeof given === 'object' && given !== null && 'type' in given;
}
