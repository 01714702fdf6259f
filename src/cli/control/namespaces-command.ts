// `jitney namespaces`: lists the namespaces of the running emulator, adds one and removes one.

import type { EndedAnswer, NamespaceAnswer, NamespacesAnswer } from '../../http/control/control-schemas.js';
import { JitneyError } from '../../jitney-error.js';
import type { CommandOutput } from '../output/command-context.js';
import { type Column, formatTable } from '../output/text-table.js';
import type { ControlClient } from './control-client.js';

export const NAMESPACE_WORDS = ['add', 'remove'] as const;

type Given = { readonly word: string | undefined; readonly namespace: string | undefined };

const COLUMNS: readonly Column[] = [
  { title: 'NAME' },
  ...['ENTITIES', 'ACTIVE', 'DEAD', 'CONNECTIONS'].map((title) => ({ title, isNumber: true })),
  { title: 'PORT' },
  { title: 'MADE BY' },
];

/** Throws a JitneyError. */
export async function useNamespaces(
  client: ControlClient,
  { word, namespace }: Given,
  output: CommandOutput,
): Promise<void> {
  if (word === undefined) return list(client, output);
  if (word !== 'add' && word !== 'remove') {
    const text = `'${word}' is not something to do with namespaces: give ${NAMESPACE_WORDS.join(' or ')}, or nothing`;
    throw new JitneyError('bad-option', text);
  }
  if (namespace === undefined) {
    const text = `name the namespace:  jitney namespaces ${word} <name>${client.options}`;
    throw new JitneyError('bad-option', text);
  }
  if (word === 'add') return add(client, namespace, output);
  return remove(client, namespace, output);
}

async function list(client: ControlClient, { stdout, isJson }: CommandOutput): Promise<void> {
  const { namespaces } = await client.call<NamespacesAnswer>({ name: 'namespaces' });
  stdout(
    isJson
      ? namespaces.map((each) => `${JSON.stringify(each)}\n`).join('')
      : formatTable(COLUMNS, namespaces.map(rowOf)),
  );
}

async function add(client: ControlClient, name: string, { stdout, isJson }: CommandOutput): Promise<void> {
  const call = { method: 'POST', name: 'namespaces', body: { name } } as const;
  const added = await client.call<NamespaceAnswer>(call);
  stdout(isJson ? `${JSON.stringify(added)}\n` : `Added '${added.name}':  ${added.connectionString ?? ''}\n`);
}

async function remove(client: ControlClient, name: string, { stdout, isJson }: CommandOutput): Promise<void> {
  const call = { method: 'DELETE', name: 'namespaces', query: { name } } as const;
  const answer = await client.call<EndedAnswer>(call);
  if (!answer.ended) throw new JitneyError('call-refused', `There is no namespace '${name}'`);
  stdout(isJson ? `${JSON.stringify(answer)}\n` : `Removed '${name}' and all that was stored in it.\n`);
}

function rowOf({ name, entities, active, deadLetter, connections, port, isMade }: NamespaceAnswer): string[] {
  const counts = [entities, active, deadLetter, connections].map(String);
  return [name, ...counts, port === undefined ? '' : String(port), isMade ? 'a client' : ''];
}
