// Colour for people at a terminal: the only place that knows when there is some, and which.

import type { Environment } from '../../config/environment.js';
import type { Write } from './output.js';

const CODES = { error: [31, 39], warning: [33, 39], good: [32, 39], title: [1, 22], quiet: [2, 22] } as const;

/** Returns the text in a colour or weight, or as it is. */
export type Paint = (style: keyof typeof CODES, text: string) => string;

export const unpainted: Paint = (_, text) => text;

const painted: Paint = (style, text) => {
  const [on, off] = CODES[style];
  return `\u001b[${on}m${text}\u001b[${off}m`;
};

/**
 * Colour is for terminals. FORCE_COLOR asks for it elsewhere too, or with `0` for none, and wins over NO_COLOR, which asks for none:
 * https://no-color.org, https://force-color.org.
 */
export function paintFor({ isTTY = false }: { readonly isTTY?: boolean }, environment: Environment): Paint {
  const { NO_COLOR, FORCE_COLOR, TERM } = environment;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '')
    return /^(0|false)$/i.test(FORCE_COLOR) ? unpainted : painted;
  return isTTY && !NO_COLOR && TERM !== 'dumb' ? painted : unpainted;
}

/** Paints the marks of errors and warnings, which begin a text, with the code behind them. */
export function withPaintedMarks(write: Write, paint: Paint): Write {
  return (text) => {
    const [mark, sign] = /^(?:(✖)|⚠)(?: JIT\d{4})?/.exec(text) ?? [];
    if (mark === undefined) return write(text);
    write(paint(sign === undefined ? 'warning' : 'error', mark) + text.slice(mark.length));
  };
}
