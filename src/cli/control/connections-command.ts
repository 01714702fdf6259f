// `jitney connections`: lists the clients that are connected to the running emulator, and the links of each.

import type { Paint } from '../output/colour.js';
import { localTime } from '../output/local-time.js';
import type { Write } from '../output/output.js';
import { type Column, formatTable } from '../output/text-table.js';
import type { ControlClient } from './control-client.js';

/** The fields of a connection in an answer of the control interface, as far as they are shown. */
type ListedConnection = {
  readonly connectionId: number;
  readonly transport?: string;
  readonly label?: string;
  readonly address?: string;
  readonly since?: string;
  readonly links?: readonly ListedLink[];
};

type ListedLink = {
  /** Missing for links that carry requests, such as links to `$management`. */
  readonly linkId?: number;
  readonly role?: string;
  readonly path?: string;
  readonly identifier?: string;
  readonly credit?: number;
  readonly unsettledCount?: number;
  readonly since?: string;
};

const COLUMNS: readonly Column[] = [
  { title: 'ID' },
  { title: 'CLIENT, LINK' },
  { title: 'ADDRESS, ENTITY' },
  { title: 'CREDIT', isNumber: true },
  { title: 'UNSETTLED', isNumber: true },
  { title: 'SINCE' },
];

type Output = {
  readonly stdout: Write;
  readonly stderr: Write;
  readonly isJson: boolean;
  readonly paint?: Paint | undefined;
};

export async function listConnections(
  client: ControlClient,
  { stdout, stderr, isJson, paint }: Output,
): Promise<void> {
  const call = { name: 'connections' };
  const { connections } = await client.call<{ readonly connections: readonly ListedConnection[] }>(call);
  if (isJson) stdout(connections.map((connection) => `${JSON.stringify(connection)}\n`).join(''));
  else if (connections.length === 0) stderr(`No client is connected to the emulator at ${client.url}.\n`);
  else stdout(formatTable(COLUMNS, connections.flatMap(rowsOf), paint));
}

function rowsOf({ links = [], ...connection }: ListedConnection): string[][] {
  const { connectionId, label = '', address = '', transport = '', since } = connection;
  return [
    [String(connectionId), label, `${address} ${transport}`.trim(), '', '', timeText(since)],
    ...links.map(linkRow),
  ];
}

function linkRow({ linkId, role = '', identifier, path = '', credit, ...more }: ListedLink): string[] {
  const { unsettledCount, since } = more;
  const name = identifier === undefined ? role : `${role} ${identifier}`;
  const numbers = [credit, unsettledCount].map((number) => String(number ?? ''));
  return [`  ${linkId ?? ''}`, name, path, ...numbers, timeText(since)];
}

function timeText(iso: string | undefined): string {
  return iso === undefined ? '' : localTime(iso).slice(0, -'.000'.length);
}
