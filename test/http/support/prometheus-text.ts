// Reads the text format of Prometheus strictly: whatever it does not know or finds twice is an error.

export type MetricFamily = { readonly type: string; readonly samples: ReadonlyMap<string, number> };

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
/** Names with two underscores in front belong to Prometheus itself. */
const LABEL = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/;
const VALUE = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/;

/** The families by name. The key of a sample is its labels in their order, such as `entity="orders",state="active"`. */
export function readPrometheusText(text: string): ReadonlyMap<string, MetricFamily> {
  check(text.endsWith('\n'), 'the last line must end', text.slice(-50));
  const families = new Map<string, MetricFamily>();
  for (const part of text.split(/^(?=# HELP )/m)) {
    const [help = '', type = '', ...lines] = part.slice(0, -1).split('\n');
    const [, name = ''] = /^# HELP (\S+) [^\\]+$/.exec(help) ?? [];
    const [, typeName, kind = ''] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(type) ?? [];
    check(NAME.test(name) && !families.has(name), 'a family begins once, with its help', help);
    check(typeName === name && (kind === 'counter') === name.endsWith('_total'), 'its type comes next', type);
    const samples = new Map<string, number>();
    for (const line of lines) {
      const [key, value] = readSample(line, name, kind === 'histogram' ? /^(?:_bucket|_sum|_count)/ : /^/);
      check(!samples.has(key) && (kind === 'gauge' || value >= 0), 'a series comes once', line);
      samples.set(key, value);
    }
    families.set(name, { type: kind, samples });
  }
  return families;
}

/** The key of a histogram's sample begins with the suffix of its name. */
function readSample(line: string, family: string, suffixes: RegExp): [key: string, value: number] {
  const named = line.slice(family.length);
  const suffix = suffixes.exec(named)?.[0];
  check(line.startsWith(family) && suffix !== undefined, `a sample of ${family} is expected`, line);
  const rest = named.slice(suffix?.length);
  const [, labels = '', value = ''] = /^(?:\{(.+)\})? (\S+)$/.exec(rest) ?? [];
  check(VALUE.test(value), 'a sample ends with its number', line);
  return [[suffix, labels && readLabels(labels)].filter(Boolean).join(' '), Number(value)];
}

/** Checks the labels and puts them in the order of their names, so that a series has one key. */
function readLabels(text: string): string {
  const labels = new Map<string, string>();
  let rest = `${text},`;
  while (rest !== '') {
    const [whole = '', name = '', value = ''] = /^([^=]*)="((?:[^"\\\n]|\\[\\n"])*)",/.exec(rest) ?? [];
    check(LABEL.test(name) && !labels.has(name), 'labels are names with quoted values', text);
    labels.set(name, value);
    rest = rest.slice(whole.length);
  }
  return [...labels]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}="${value}"`)
    .join(',');
}

function check(isTrue: boolean, rule: string, found: string): void {
  if (!isTrue) throw new Error(`${rule}: ${JSON.stringify(found)}`);
}
