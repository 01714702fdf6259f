// XML with an element on each line, indented by its depth.

const INDENT = '  ';
/** A longer text is shown as it is. */
const MOST_LENGTH = 200_000;
/** Undefined for a text that is no XML: a tag is not closed, or there is none. */
export function indentedXml(text: string): string | undefined {
  if (text.length > MOST_LENGTH || !/^\s*</.test(text)) return undefined;
  const pieces = piecesOf(text)?.filter((piece) => piece.trim() !== '');
  if (pieces === undefined) return undefined;
  const lines: string[] = [];
  const open: string[] = [];
  for (let at = 0; at < pieces.length; at++) {
    const piece = pieces[at]?.trim() ?? '';
    if (piece.startsWith('</')) {
      if (open.pop() !== nameOf(piece)) return undefined;
      lines.push(INDENT.repeat(open.length) + piece);
      continue;
    }
    const isOpening = /^<[^!?]/.test(piece) && !piece.endsWith('/>');
    const [value = '', end = ''] = pieces.slice(at + 1, at + 3);
    if (isOpening && (isEnd(value, piece) || (!value.startsWith('<') && isEnd(end, piece)))) {
      // An element without others stays on its line.
      const isEmpty = isEnd(value, piece);
      lines.push(INDENT.repeat(open.length) + piece + value + (isEmpty ? '' : end));
      at += isEmpty ? 1 : 2;
      continue;
    }
    lines.push(INDENT.repeat(open.length) + piece);
    if (isOpening) open.push(nameOf(piece));
  }
  const hasElement = lines.some((line) => /^\s*<[^!?]/.test(line));
  return open.length === 0 && hasElement ? lines.join('\n') : undefined;
}

/** Comments, sections of characters, tags, and the texts between them; undefined if one does not end. */
function piecesOf(text: string): readonly string[] | undefined {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = endOf(text, at);
    if (end <= at) return undefined;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}

/** Where the piece that begins at `at` ends; 0 if it does not. */
function endOf(text: string, at: number): number {
  if (text[at] !== '<') {
    const next = text.indexOf('<', at);
    return next < 0 ? text.length : next;
  }
  const close = text.startsWith('<!--', at) ? '-->' : text.startsWith('<![CDATA[', at) ? ']]>' : '>';
  const end = text.indexOf(close, at);
  const isTag = close === '>';
  if (end < 0 || (isTag && text.slice(at + 1, end).includes('<'))) return 0;
  return end + close.length;
}

function isEnd(piece: string, opening: string): boolean {
  return piece.startsWith('</') && nameOf(piece) === nameOf(opening);
}

function nameOf(tag: string): string {
  return /^<\/?([^\s/>]*)/.exec(tag)?.[1] ?? '';
}
