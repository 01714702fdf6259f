// LIKE by a table: for each end of the text and of the pattern, whether one matches the other.

type Item =
  | { readonly kind: 'run' }
  | { readonly kind: 'one' }
  | { readonly kind: 'exactly'; readonly character: string };

export function likes(text: string, pattern: string, escapedBy: string | undefined): boolean {
  const characters = [...text];
  let row = [true, ...characters.map(() => false)];
  for (const item of itemsOf(pattern, escapedBy)) {
    const next = [item.kind === 'run' && row[0] === true];
    characters.forEach((character, index) => {
      next.push(
        item.kind === 'run'
          ? next[index] === true || row[index + 1] === true
          : row[index] === true && (item.kind === 'one' || item.character === character),
      );
    });
    row = next;
  }
  return row.at(-1) === true;
}

function itemsOf(pattern: string, escapedBy: string | undefined): Item[] {
  const characters = [...pattern];
  const items: Item[] = [];
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index] ?? '';
    const following = characters[index + 1];
    if (character === escapedBy && following !== undefined) {
      items.push({ kind: 'exactly', character: following });
      index++;
    } else if (character !== escapedBy && character === '%') items.push({ kind: 'run' });
    else if (character !== escapedBy && character === '_') items.push({ kind: 'one' });
    else items.push({ kind: 'exactly', character });
  }
  return items;
}
