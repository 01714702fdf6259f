// The calls of the control interface that list, add and remove namespaces.

import { setImmediate as nextLoop } from 'node:timers/promises';
import type { Result } from '../../broker/contract/result.js';
import { isNamespaceName } from '../../description/namespace-name.js';
import { JitneyError } from '../../jitney-error.js';
import { RequestProblem } from '../error-response.js';
import { expectResult, type NamespaceEntry, type NamespacesPort, type RoutedCall } from '../http-context.js';
import { namespaceBody, namespaceQuery, noQuery, readBodyOf, readSearch } from './control-requests.js';
import type { EndedAnswer, NamespaceAnswer, NamespacesAnswer } from './control-schemas.js';

const DEFAULT = 'default';

export const NAMESPACE_CALLS = {
  async listNamespaces(call: RoutedCall): Promise<NamespacesAnswer> {
    readSearch(call, noQuery);
    const namespaces: NamespaceAnswer[] = [];
    for (const each of namespacesOf(call).list()) {
      const inspected = await each.context.engine.ask({ kind: 'inspect-namespace' });
      // One that has been removed meanwhile has failed.
      if (inspected.kind !== 'failed') namespaces.push(answerOf(each, inspected, call));
      // There may be a thousand, and clients go on between them.
      await nextLoop();
    }
    return { namespaces };
  },

  async addNamespace(call: RoutedCall): Promise<NamespaceAnswer> {
    readSearch(call, noQuery);
    const given = await readBodyOf(call, namespaceBody);
    const { name, port, queues, topics } = given;
    const namespaces = namespacesOf(call);
    if (!isNamespaceName(name)) {
      const text = `The name of a namespace has 1 to 50 letters, digits, hyphens and underscores, not ${JSON.stringify(name)}.`;
      throw new RequestProblem(400, text);
    }
    if (namespaces.list().some(({ context }) => nameOf(context) === name.toLowerCase())) {
      throw new RequestProblem(409, `The namespace '${name.toLowerCase()}' is there already.`);
    }
    try {
      const added = await namespaces.add({
        name,
        ...(port !== undefined && { port }),
        ...(queues !== undefined && { queues }),
        ...(topics !== undefined && { topics }),
      });
      return answerOf(added, await added.context.engine.ask({ kind: 'inspect-namespace' }), call);
    } catch (error) {
      if (error instanceof JitneyError) throw new RequestProblem(400, error.message);
      throw error;
    }
  },

  async removeNamespace(call: RoutedCall): Promise<EndedAnswer> {
    const name = readSearch(call, namespaceQuery).name.toLowerCase();
    if (name === DEFAULT) {
      throw new RequestProblem(400, `The namespace '${DEFAULT}' is always there; POST reset empties it.`);
    }
    return { ended: await namespacesOf(call).remove(name) };
  },
} as const;

function answerOf(
  { context, port, isMade }: NamespaceEntry,
  inspected: Result,
  { url }: RoutedCall,
): NamespaceAnswer {
  const { control } = context;
  const { entities } = expectResult(inspected, 'inspected-entities');
  const counts = entities.flatMap((entity) =>
    entity.kind === 'topic' ? entity.subscriptions.map((one) => one.counts) : [entity.counts],
  );
  const sum = (state: 'active' | 'deadLetter') => counts.reduce((total, each) => total + each[state], 0);
  const sharedPort = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  return {
    name: nameOf(context),
    connectionString: control?.start?.connectionString(url.hostname, port ?? sharedPort),
    port,
    isMade,
    entities: entities.length,
    active: sum('active'),
    deadLetter: sum('deadLetter'),
    connections: control?.connections?.list().length ?? 0,
  };
}

function nameOf({ control }: NamespaceEntry['context']): string {
  return control?.namespace ?? DEFAULT;
}

function namespacesOf({ context }: RoutedCall): NamespacesPort {
  const namespaces = context.control?.namespaces;
  if (namespaces !== undefined) return namespaces;
  throw new RequestProblem(
    404,
    `The namespace '${nameOf(context)}' does not list the others; ask without its name, or with a key of '${DEFAULT}'.`,
  );
}
