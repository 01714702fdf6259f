// Drafts that are kept in this browser under a name.

import { signal } from '@preact/signals';
import { type Draft, EMPTY_DRAFT } from './draft.js';

const KEY = 'jitney-templates';
const MOST = 50;

type Templates = ReadonlyMap<string, Draft>;

export const templates = signal<Templates>(read(stored()));

/** Keeps a draft; the oldest goes when there are too many. Throws when the browser keeps no more. */
export function saveTemplate(name: string, draft: Draft): void {
  const next = new Map(templates.value);
  next.delete(name);
  next.set(name, draft);
  for (const oldest of next.keys()) {
    if (next.size <= MOST) break;
    next.delete(oldest);
  }
  store(next);
}

export function deleteTemplate(name: string): void {
  const next = new Map(templates.value);
  next.delete(name);
  store(next);
}

function store(next: Templates): void {
  localStorage.setItem(KEY, JSON.stringify([...next]));
  templates.value = next;
}

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** A template that another version of the page has kept may lack fields. */
function read(text: string | null): Templates {
  try {
    const entries: unknown = JSON.parse(text ?? '[]');
    if (!Array.isArray(entries)) return new Map();
    const known = entries.filter(
      (one): one is [string, Partial<Draft>] => Array.isArray(one) && one.length === 2,
    );
    return new Map(known.map(([name, draft]) => [String(name), { ...EMPTY_DRAFT, ...draft }]));
  } catch {
    return new Map();
  }
}
