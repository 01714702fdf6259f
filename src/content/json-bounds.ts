// Counts the levels and values of a JSON text before it is parsed: too many values are slow to check, and too many levels cannot be written again.

const MAX_LEVELS = 100;
const MAX_VALUES = 100_000;
export const JSON_BOUNDS_TEXT = `${MAX_LEVELS} levels of brackets and ${MAX_VALUES} values`;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Whether it has at most 100 levels of brackets and `maxValues` values. A text that is not JSON is counted in the same way. */
export function isWithinJsonBounds(json: string, maxValues = MAX_VALUES): boolean {
  let levels = 0;
  let values = 1;
  for (let at = 0; at < json.length; at++) {
    switch (json.charCodeAt(at)) {
      case QUOTE:
        at = endOfText(json, at);
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        levels += 1;
        values += 1;
        break;
      case COMMA:
        values += 1;
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        levels -= 1;
    }
    if (levels > MAX_LEVELS || values > maxValues) return false;
  }
  return true;
}

/** The place of the quote that ends the text which begins here. */
function endOfText(json: string, start: number): number {
  let at = start + 1;
  for (let code = json.charCodeAt(at); at < json.length && code !== QUOTE; code = json.charCodeAt(at)) {
    at += code === BACKSLASH ? 2 : 1;
  }
  return at;
}
