// Tables for a terminal: columns are two spaces apart, and numbers are aligned to the right.

import { type Paint, unpainted } from './colour.js';
import { oneLine } from './one-line.js';

export type Column = { readonly title: string; readonly isNumber?: boolean };

/** The titles and one line for each row; each row has a cell for each column. */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  paint: Paint = unpainted,
): string {
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => row.map(oneLine))];
  const widths = columns.map((_, index) => Math.max(...lines.map((cells) => widthOf(cells[index] ?? ''))));
  const aligned = lines.map((cells) =>
    columns
      .map(({ isNumber = false }, index) => {
        const cell = cells[index] ?? '';
        const padding = ' '.repeat((widths[index] ?? 0) - widthOf(cell));
        return isNumber ? padding + cell : cell + padding;
      })
      .join('  ')
      .trimEnd(),
  );
  return aligned.map((line, index) => `${index === 0 ? paint('title', line) : line}\n`).join('');
}

/** The width of a text on a terminal, in characters. The patterns are not made at the start of the process, which would take time. */
function widthOf(text: string): number {
  const seen = text.replace(/\p{Mn}|[\u200b-\u200d]/gu, '');
  // Such characters take two columns.
  const wide = seen.match(
    /[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\p{Emoji_Presentation}\uff01-\uff60]/gu,
  );
  return [...seen].length + (wide?.length ?? 0);
}
