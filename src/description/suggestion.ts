// Suggests the known word that is nearest to a misspelt one: "Did you mean".

/** Returns ` Did you mean 'x'?` with a leading space, or an empty text when no word is near. */
export function suggestion(word: string, known: readonly string[]): string {
  const wanted = word.toLowerCase();
  // A larger limit would find other words: 'send' is two letters from 'env'.
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  let nearest: string | undefined;
  let nearestDistance = limit + 1;
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < nearestDistance) {
      nearest = candidate;
      nearestDistance = distance;
    }
  }
  return nearest === undefined ? '' : ` Did you mean '${nearest}'?`;
}

/** The number of letters to add, drop, replace or swap with their neighbour (optimal string alignment). */
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = at(previous, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swapped = isSwap ? at(beforePrevious, column - 2) + 1 : Number.POSITIVE_INFINITY;
      current.push(Math.min(replaced, swapped, at(previous, column) + 1, at(current, column - 1) + 1));
    }
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
