// The calls of the control interface that list AMQP connections and their links, and end one by hand.

import { RequestProblem } from '../error-response.js';
import type { ConnectionsPort, RoutedCall } from '../http-context.js';
import { endConnectionBody, endLinkBody, noQuery, readBodyOf, readSearch } from './control-requests.js';
import type { ConnectionsAnswer, EndedAnswer } from './control-schemas.js';
import { timeText } from './entity-answers.js';

const MAX_BODY_BYTES = 1024;

export const CONNECTION_CALLS = {
  listConnections(call: RoutedCall): ConnectionsAnswer {
    readSearch(call, noQuery);
    const connections = connectionsOf(call).list();
    return {
      connections: connections.map(({ since, links, ...connection }) => ({
        ...connection,
        since: timeText(since),
        links: links.map((link) => ({ ...link, since: timeText(link.since) })),
      })),
    };
  },

  async endConnection(call: RoutedCall): Promise<EndedAnswer> {
    readSearch(call, noQuery);
    const { connectionId } = await readBodyOf(call, endConnectionBody, MAX_BODY_BYTES);
    return { ended: connectionsOf(call).endConnection(connectionId) };
  },

  async endLink(call: RoutedCall): Promise<EndedAnswer> {
    readSearch(call, noQuery);
    const { linkId } = await readBodyOf(call, endLinkBody, MAX_BODY_BYTES);
    return { ended: connectionsOf(call).endLink(linkId) };
  },
} as const;

function connectionsOf({ context }: RoutedCall): ConnectionsPort {
  const connections = context.control?.connections;
  if (connections === undefined) throw new RequestProblem(404, 'This emulator shows no connections.');
  return connections;
}
