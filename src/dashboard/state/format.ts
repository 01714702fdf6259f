// Numbers, times and names as the page writes them.

import { clientLabel, clientText, isGenerated } from '../../watch/client-label.js';

const NUMBER = new Intl.NumberFormat('en-GB');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** `1,284` */
export function numberText(value: number): string {
  return NUMBER.format(value);
}

/** `1 message`, `1,284 messages`: all counts of things are written by this. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`;
}

/** `41.8`, or `0` for nothing. */
export function rateText(value: number): string {
  if (value === 0) return '0';
  return value >= 100 ? NUMBER.format(Math.round(value)) : value.toFixed(1);
}

/** `0.4 s`, `1 min 12 s`, `4 h 5 min`, `3 d 2 h`. */
export function durationText(ms: number): string {
  const past = Math.max(0, ms);
  if (past < 9950) return `${(past / 1000).toFixed(1)} s`;
  const seconds = Math.max(10, Math.floor(past / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (past < HOUR_MS) return two([Math.floor(seconds / 60), 'min'], [seconds % 60, 's']);
  const minutes = Math.floor(seconds / 60);
  if (past < DAY_MS) return two([Math.floor(minutes / 60), 'h'], [minutes % 60, 'min']);
  const hours = Math.floor(minutes / 60);
  return two([Math.floor(hours / 24), 'd'], [hours % 24, 'h']);
}

function two(first: readonly [number, string], second: readonly [number, string]): string {
  const text = `${first[0]} ${first[1]}`;
  return second[0] === 0 ? text : `${text} ${second[0]} ${second[1]}`;
}

/**
 * `14:31:25.118`, in the time zone of the browser. Its functions for languages need a hundred times as long, and there are many such
 * texts.
 */
export function timeText(time: string | number | Date, { withMs = true } = {}): string {
  const date = new Date(time);
  const text = [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((each) => padded(each, 2))
    .join(':');
  return withMs ? `${text}.${padded(date.getMilliseconds(), 3)}` : text;
}

function padded(value: number, length: number): string {
  return String(value).padStart(length, '0');
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** The time, and the day if it is not today. */
export function dateTimeText(time: string | number): string {
  const date = new Date(time);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? timeText(date) : `${DAY.format(date)}, ${timeText(date, { withMs: false })}`;
}

/** `640 B`, `1.9 MB` */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ['KB', 'MB', 'GB', 'TB'];
  let value = bytes / 1000;
  let index = 0;
  for (; value >= 999.5 && index < units.length - 1; index++) value /= 1000;
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[index]}`;
}

/** Text from a sender: control characters and breaks of lines but `\n` are shown, none changes the direction of its neighbours, and it is cut. */
export function shownText(text: string, most = 400): string {
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return cut.replace(CONTROL, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const CONTROL = /(?![\t\n])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** `orders` of `orders`, `eu` of `events/Subscriptions/eu`. */
export function shortName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A path as people say it: `events/eu`, and the name of a sub-queue in words. */
export function spokenPath(path: string): string {
  return path
    .replace(/\/Subscriptions\//i, '/')
    .replace(/\/\$Transfer\/\$?DeadLetterQueue$/i, ' (transfer dead-letter)')
    .replace(/\/\$DeadLetterQueue$/i, ' (dead-letter)');
}

/** A client as people know it, with signs that would do harm shown. */
export function clientName(client: NamedClient | undefined): string {
  if (client === undefined) return 'nobody';
  const { label = clientLabel({ product: undefined, ...client }) } = client;
  return shownText(clientText({ ...client, label }), MOST_NAME);
}

/** The client of a link, as events name it: with its identifier, unless the SDK made it up. */
export function linkClientName(label: string, identifier: string | undefined): string {
  const isGiven = identifier !== undefined && !isGenerated(identifier);
  return clientName({ name: '', label, ...(isGiven && { identifier }) });
}

const MOST_NAME = 80;

type NamedClient = {
  readonly label?: string;
  readonly identifier?: string;
  readonly name: string;
  readonly product?: string;
};
