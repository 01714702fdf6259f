// Why a text is not JSON, in plain words with the place, from the message of the browser's parser.

/** `ends inside a string, column 91`; undefined for JSON, and for no text at all. */
export function jsonProblem(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const place = placeOf(message, text);
    return place === undefined ? wordsOf(message) : `${wordsOf(message)}, ${place}`;
  }
}

function wordsOf(message: string): string {
  if (/unterminated string/i.test(message)) return 'ends inside a string';
  if (/unexpected end/i.test(message)) return 'ends too early';
  const [, token] = /^Unexpected token ('.*?'),/su.exec(message) ?? [];
  if (token !== undefined) return `unexpected ${token}`;
  const plain = message.replace(/^JSON\.parse: /, '').replace(/(?: in JSON)? at (?:position|line) .*$/s, '');
  return `${plain.slice(0, 1).toLowerCase()}${plain.slice(1)}`;
}

/** Chromium tells the position, Firefox line and column, and neither where a text ends too early. */
function placeOf(message: string, text: string): string | undefined {
  const [, line, column] = /\(?line (\d+) column (\d+)/.exec(message) ?? [];
  const [, position] = /position (\d+)/.exec(message) ?? [];
  const at = position === undefined && /unexpected end/i.test(message) ? text.length : Number(position);
  if (Number.isNaN(at)) return line === undefined ? undefined : lineAndColumn(Number(line), Number(column));
  const before = text.slice(0, Math.min(at + 1, text.length)).split('\n');
  return lineAndColumn(before.length, before.at(-1)?.length ?? 0);
}

function lineAndColumn(line: number, column: number): string {
  return line === 1 ? `column ${column}` : `line ${line}, column ${column}`;
}
