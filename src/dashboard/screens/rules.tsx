// To come.

export function RulesScreen({ topic }: { readonly topic: string | undefined }) {
  return <section aria-label={`Rules ${topic}`} />;
}
