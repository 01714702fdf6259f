// The figures of a measurement as a table, each with its limit and whether it keeps it.

type Figure = {
  readonly what: string;
  readonly value: string;
  readonly limit: string;
  readonly verdict: string;
};

export class FigureTable {
  readonly #figures: Figure[] = [];

  /** A figure over its limit makes the process end with 1. `limit` undefined: it is only shown. */
  add(what: string, value: number, { unit = '', limit }: { unit?: string; limit?: number } = {}): void {
    const isOver = limit !== undefined && !(value <= limit);
    if (isOver) process.exitCode = 1;
    const text = (number: number) => `${number.toFixed(unit === '' ? 2 : 0)}${unit && ` ${unit}`}`;
    this.#figures.push({
      what,
      value: text(value),
      limit: limit === undefined ? '' : text(limit),
      verdict: limit === undefined ? '' : isOver ? 'over' : 'ok',
    });
  }

  print(): void {
    const rows = [{ what: '', value: 'measured', limit: 'at most', verdict: '' }, ...this.#figures];
    const width = (key: keyof Figure) => Math.max(...rows.map((row) => row[key].length));
    const [what, value, limit] = [width('what'), width('value'), width('limit')];
    for (const row of rows) {
      console.log(
        `${row.what.padEnd(what)}  ${row.value.padStart(value)}  ${row.limit.padStart(limit)}  ${row.verdict}`,
      );
    }
  }
}
