// The namespaces of ATOM's entries, and the times in them.

import { LAST_INSTANT } from '../broker/contract/instant.js';

export const SERVICE_BUS = 'http://schemas.microsoft.com/netservices/2010/10/servicebus/connect';
export const ATOM = 'http://www.w3.org/2005/Atom';

/** The first of .NET's times. */
export const FIRST_TIME = Date.parse('0001-01-01T00:00:00Z');

/** A time as .NET writes it, in UTC with 7 decimals of a second. Times of a rule outside .NET's range become its first or last time. */
export function atomTime(milliseconds: number): string {
  if (milliseconds >= LAST_INSTANT) return '9999-12-31T23:59:59.9999999Z';
  return new Date(Math.max(milliseconds, FIRST_TIME)).toISOString().replace('Z', '0000Z');
}
