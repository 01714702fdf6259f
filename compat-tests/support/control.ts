// Calls of the control interface of a running Jitney.

import type { Jitney } from './jitney.js';

/** The answer of a GET, or with a body of a POST. Throws what was answered instead. */
export async function callControl<Answer>(jitney: Jitney, call: string, body?: unknown): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`http://localhost:${jitney.address.port}/$jitney/v1/${call}`, init);
  if (!response.ok) throw new Error(`${call} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

/** The counts of an entity by state. */
export async function countsOf(jitney: Jitney, entity: string): Promise<Readonly<Record<string, number>>> {
  const path = encodeURIComponent(entity);
  const { counts } = await callControl<{ counts: Record<string, number> }>(jitney, `entity?entity=${path}`);
  return counts;
}
