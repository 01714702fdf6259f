// The message of the rules tester as the fields of a form: what filters see of it. The rest of its JSON stays as it was.

import { isPropertyType, propertyText } from '../../state/property-text.js';
import {
  type Draft,
  type DraftProperty,
  EMPTY_DRAFT,
  type Problems,
  readDraft,
  TEXT_FIELDS,
} from '../compose/draft.js';

type Json = Readonly<Record<string, unknown>>;

/** The fields of a JSON; those of an empty message for a text that is none. */
export function formOfJson(text: string): Draft {
  const { applicationProperties, ...others } = objectOf(text);
  const texts = TEXT_FIELDS.flatMap(([field]) =>
    typeof others[field] === 'string' ? [[field, others[field]] as const] : [],
  );
  const properties = isObject(applicationProperties) ? Object.entries(applicationProperties) : [];
  return {
    ...EMPTY_DRAFT,
    ...Object.fromEntries(texts),
    properties: properties.flatMap(([name, value]) => rowOf(name, value)),
  };
}

/** The JSON with what the fields say, unless one of them cannot be read. */
export function jsonOfForm(
  text: string,
  form: Draft,
): { readonly text: string; readonly problems: Problems } {
  const { messages, problems } = readDraft({ ...form, destination: 'none' }, 0);
  if (problems.size > 0) return { text, problems };
  const inForm: ReadonlySet<string> = new Set([
    'applicationProperties',
    ...TEXT_FIELDS.map(([field]) => field),
  ]);
  const others = Object.entries(objectOf(text)).filter(([key]) => !inForm.has(key));
  return { text: JSON.stringify({ ...messages[0], ...Object.fromEntries(others) }, null, 2), problems };
}

/** A value without a type is of the type that the interface takes it for. */
function rowOf(name: string, value: unknown): readonly DraftProperty[] {
  const typed = isObject(value) ? value : { type: typeOf(value), value };
  const { type, text } = propertyText(typed as Parameters<typeof propertyText>[0]);
  return isPropertyType(type) ? [{ name, type, value: type === 'null' ? '' : text }] : [];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value !== 'number') return typeof value;
  if (!Number.isInteger(value)) return 'double';
  return Math.abs(value) < 2 ** 31 ? 'int' : 'long';
}

function objectOf(text: string): Json {
  try {
    const read: unknown = JSON.parse(text);
    return isObject(read) ? read : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
