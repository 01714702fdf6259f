// Readers of flags and variables. Each throws a ValueError that says what the text must be.

import { shown, ValueError } from '../description/value-error.js';

/** A name, an IPv4 address, or an IPv6 address without brackets. A star can replace the first label. A port does not match. */
const HOST_NAME =
  /^(\*\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$|^[0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*$/i;

/** An entry among the accepted origins: their pages may also use the control interface. */
export const CONTROL_ORIGIN = '$jitney';

/** Splits a text at its commas. An item writes a comma of its own as %2C. */
export function splitList(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  return items.filter((item) => item !== '');
}

export function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port >= 0 && port <= 65_535) return port;
  throw new ValueError(`must be a port number from 0 (any free one) to 65535, not ${shown(text)}`);
}

export function readPortOrOff(text: string): number | 'off' {
  return text === 'off' ? text : readPort(text);
}

/** Accepts any text except one that starts like an option, which means that the value is missing. */
export function freeText(what: string): (text: string) => string {
  return (text) => {
    if (text.startsWith('-')) throw new ValueError(`must be ${what}, not ${shown(text)}`);
    return text;
  };
}

export function readTrueOrFalse(text: string): boolean {
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  throw new ValueError(`must be true or false, not ${shown(text)}`);
}

export function readYesOrNo(text: string): boolean {
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  if (/^(0|false|no|off)$/i.test(text)) return false;
  throw new ValueError(`must be true or false, not ${shown(text)}`);
}

export function readOneOf<T extends string>(allowed: readonly T[]): (text: string) => T {
  return (text) => {
    const found = allowed.find((one) => one.toLowerCase() === text.toLowerCase());
    if (found !== undefined) return found;
    throw new ValueError(`must be one of ${allowed.join(', ')}, not ${shown(text)}`);
  };
}

export function readHostName(text: string): string {
  if (HOST_NAME.test(text)) return text.toLowerCase();
  throw new ValueError(`must be a host name or an IP address without a port, not ${shown(text)}`);
}

/** The port is for Go's SDK, which looks for `name:port` in the certificate. */
export function readCertHost(text: string): string {
  const { host = text, port } =
    /^(?<host>\[[0-9a-f:.]+\]|[^:*]+):(?<port>\d{1,5})$/i.exec(text)?.groups ?? {};
  const isGoodPort = port === undefined || (Number(port) > 0 && Number(port) <= 65_535);
  if (isGoodPort && HOST_NAME.test(host.replace(/^\[(.*)\]$/, '$1'))) return text.toLowerCase();
  throw new ValueError(`must be a host name or an IP address, with a port or without, not ${shown(text)}`);
}

/** Reads an origin as browsers send it; they send `null` for a page that is a file. `$jitney` opens the control interface. */
export function readOrigin(text: string): string {
  if (text === '*' || text === 'null' || text === CONTROL_ORIGIN) return text;
  const url = /^https?:/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && `${url.origin}/` === url.href) return url.origin;
  throw new ValueError(`must be an origin such as https://app.example.com, or *, not ${shown(text)}`);
}
