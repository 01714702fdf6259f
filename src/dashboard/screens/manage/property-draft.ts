// The properties of an entity as a form holds them: texts and ticks, compared with what the entity has or what Azure gives it.

import {
  defaultProperties,
  isFixedProperty,
  PROPERTIES_OF,
  problemOfProperty,
} from '../../../description/described-entity.js';
import { readDuration, spokenDuration } from '../../state/duration.js';

export type EntityKind = keyof typeof PROPERTIES_OF;

/** The texts and switches in the fields, by the names of the properties. */
export type PropertyDraft = Readonly<Record<string, string | boolean>>;

export type PropertyField = {
  readonly name: string;
  readonly type: 'duration' | 'number' | 'boolean' | 'text';
  /** All possible values, if there are only a few. */
  readonly values: readonly string[] | undefined;
  /** Azure's default; empty where there is none. */
  readonly fallback: string;
  readonly isFixed: boolean;
};

type Properties = Readonly<Record<string, unknown>>;

/** The longest duration, with which Azure writes "never". */
export const NEVER = 'P10675199DT2H48M5.4775807S';

/** The properties in the order of the table. Authorization rules hold keys, which the page neither shows nor asks for. */
export function fieldsOf(kind: EntityKind): readonly PropertyField[] {
  const defaults: Properties = defaultProperties(kind);
  return PROPERTIES_OF[kind].flatMap(({ name, type, ...more }): PropertyField[] => {
    if (type === 'list') return [];
    const values = 'values' in more ? more.values : undefined;
    const fallback = shownValue(type, defaults[name]);
    return [{ name, type, values, fallback, isFixed: isFixedProperty(kind, name) }];
  });
}

/** The fields filled from an entity, or with Azure's defaults. */
export function draftOf(kind: EntityKind, properties: Properties = defaultProperties(kind)): PropertyDraft {
  return Object.fromEntries(
    fieldsOf(kind).map(({ name, type }) => {
      const value = properties[name];
      return [name, type === 'boolean' ? value === true : shownValue(type, value)];
    }),
  );
}

/** The properties that differ, as a call takes them. An empty field brings back the default. */
export function changesIn(
  kind: EntityKind,
  draft: PropertyDraft,
  before: PropertyDraft = draftOf(kind),
): Properties {
  const changed = fieldsOf(kind).filter(({ name }) => draft[name] !== before[name]);
  return Object.fromEntries(changed.map((field) => [field.name, sentValue(field, draft[field.name])]));
}

/** The mistakes by the names of their fields, each without that name. */
export function problemsIn(kind: EntityKind, changes: Properties): ReadonlyMap<string, string> {
  const found = Object.entries(changes).flatMap(([name, value]): [string, string][] => {
    const isBare = typeOf(kind, name) === 'duration' && /^\d+$/.test(String(value));
    if (isBare) return [[name, `needs a unit, such as ${value} s, ${value} min or PT${value}S`]];
    const problem = problemOfProperty(kind, name, value);
    return problem === undefined ? [] : [[name, spokenText(problem.replace(`${name} `, ''))]];
  });
  return new Map(found);
}

/** A duration as the page writes it: `PT30S` is `30 s`. */
function spokenText(text: string): string {
  return text.replace(/\bP(?:\d+D)?(?:T[\dHMS.]+)?\b/g, (iso) => {
    const ms = iso === NEVER ? undefined : readDuration(iso);
    return ms === undefined ? iso : spokenDuration(ms);
  });
}

/** The value of a property in words. */
export function settingText(kind: EntityKind, name: string, value: unknown): string {
  return value === NEVER
    ? 'never'
    : typeOf(kind, name) === 'duration'
      ? spokenText(String(value))
      : String(value);
}

function shownValue(type: PropertyField['type'], value: unknown): string {
  const text = value === undefined ? '' : String(value);
  return type === 'duration' ? spokenText(text) : text;
}

function typeOf(kind: EntityKind, name: string): string | undefined {
  return PROPERTIES_OF[kind].find((each) => each.name === name)?.type;
}

function sentValue({ type }: PropertyField, given: string | boolean | undefined): unknown {
  if (typeof given !== 'string') return given;
  const text = given.trim();
  if (text === '') return null;
  if (type === 'number' && /^\d+$/.test(text)) return Number(text);
  const ms = type === 'duration' && /^\d/.test(text) ? readDuration(text) : undefined;
  return ms === undefined ? text : `PT${Math.round(ms) / 1000}S`;
}
