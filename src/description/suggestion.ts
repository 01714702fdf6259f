// Finds the known word that is most similar to a misspelt one, for "Did you mean".

/** No name is longer. A longer text cannot be a misspelt name, and comparing it would take long. */
const LONGEST_WORD = 300;
/** With more mistakes it counts as another word, however long it is. */
const MOST_MISTAKES = 6;

/** Returns ` Did you mean 'x'?` with a leading space, or an empty text if no word is similar. */
export function suggestion(word: string, known: readonly string[]): string {
  const nearest = nearestWord(word, known);
  return nearest === undefined ? '' : ` Did you mean '${nearest}'?`;
}

type Rows = readonly [Uint16Array, Uint16Array, Uint16Array];

/** The most similar word, the first one if several are equally similar. Undefined if more than a third of the letters differ in all. */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const wanted = word.toLowerCase();
  if (wanted.length > LONGEST_WORD) return undefined;
  let nearest: string | undefined;
  // Allowing more mistakes would find unrelated words: 'send' is two letters from 'env'.
  let most = Math.min(MOST_MISTAKES, Math.max(1, Math.floor(wanted.length / 3)));
  const row = () => new Uint16Array(LONGEST_WORD + MOST_MISTAKES + 1);
  const rows: Rows = [row(), row(), row()];
  for (const candidate of known) {
    const other = candidate.toLowerCase();
    let same = 0;
    while (same < wanted.length && wanted[same] === other[same]) same++;
    const mistakes = countMistakes(wanted.slice(same), other.slice(same), most, rows);
    if (mistakes > most) continue;
    nearest = candidate;
    most = mistakes - 1;
  }
  return nearest;
}

/**
 * The number of letters to add, drop, replace or swap with a neighbour (optimal string alignment), or `most + 1` if there are more. A
 * letter is compared only with letters that are at most `most` places away.
 */
function countMistakes(from: string, to: string, most: number, rows: Rows): number {
  const tooMany = most + 1;
  if (Math.abs(from.length - to.length) > most) return tooMany;
  let [beforePrevious, previous, current] = rows;
  for (let column = 0; column <= to.length; column++) previous[column] = column;
  for (let row = 1; row <= from.length; row++) {
    const first = Math.max(1, row - most);
    const last = Math.min(to.length, row + most);
    const letter = from.charCodeAt(row - 1);
    const letterBefore = from.charCodeAt(row - 2);
    let least = first === 1 ? row : tooMany;
    current[first - 1] = least;
    for (let column = first; column <= last; column++) {
      const replaced = at(previous, column - 1) + (letter === to.charCodeAt(column - 1) ? 0 : 1);
      const dropped = column === row + most ? tooMany : at(previous, column) + 1;
      const isSwap = letter === to.charCodeAt(column - 2) && letterBefore === to.charCodeAt(column - 1);
      const swapped = isSwap ? at(beforePrevious, column - 2) + 1 : tooMany;
      const mistakes = Math.min(replaced, dropped, at(current, column - 1) + 1, swapped);
      current[column] = mistakes;
      least = Math.min(least, mistakes);
    }
    if (least > most) return tooMany;
    [beforePrevious, previous, current] = [previous, current, beforePrevious];
  }
  return at(previous, to.length);
}

function at(row: Uint16Array, column: number): number {
  return row[column] ?? 0;
}
