// How a tally names what was asked and what came of it.

export function resultsOf(asked: string, ...results: string[]): readonly string[] {
  return results.map((result) => `${asked}: ${result}`);
}
