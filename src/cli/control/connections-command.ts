// `jitney connections`: lists the clients that are connected to the running emulator, and the links of each.

import type { ConnectionAnswer, ConnectionsAnswer } from '../../http/control/control-schemas.js';
import type { CommandOutput } from '../output/command-context.js';
import { localTime } from '../output/local-time.js';
import { type Column, formatTable } from '../output/text-table.js';
import type { ControlClient } from './control-client.js';

const COLUMNS: readonly Column[] = [
  { title: 'ID' },
  { title: 'CLIENT, LINK' },
  { title: 'ADDRESS, ENTITY' },
  { title: 'CREDIT', isNumber: true },
  { title: 'UNSETTLED', isNumber: true },
  { title: 'SINCE' },
];

export async function listConnections(
  client: ControlClient,
  { stdout, stderr, isJson, paint }: CommandOutput,
): Promise<void> {
  const call = { name: 'connections' };
  const { connections } = await client.call<ConnectionsAnswer>(call);
  if (isJson) stdout(connections.map((connection) => `${JSON.stringify(connection)}\n`).join(''));
  else if (connections.length === 0) stderr(`No client is connected to the emulator at ${client.url}.\n`);
  else stdout(formatTable(COLUMNS, connections.flatMap(rowsOf), paint));
}

function rowsOf({ links, ...connection }: ConnectionAnswer): string[][] {
  const { connectionId, label, address = '', transport, since } = connection;
  return [
    [String(connectionId), label, `${address} ${transport}`.trim(), '', '', timeText(since)],
    ...links.map(linkRow),
  ];
}

function linkRow({
  linkId,
  role,
  identifier,
  path,
  credit,
  ...more
}: ConnectionAnswer['links'][number]): string[] {
  const { unsettledCount, since } = more;
  const name = identifier === undefined ? role : `${role} ${identifier}`;
  const numbers = [credit, unsettledCount].map((number) => String(number ?? ''));
  return [`  ${linkId ?? ''}`, name, path, ...numbers, timeText(since)];
}

function timeText(iso: string): string {
  return localTime(iso).slice(0, -'.000'.length);
}
