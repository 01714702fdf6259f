// To come.

export function TimelineScreen({ filter }: { readonly filter: string }) {
  return <section aria-label={`Timeline ${filter}`} />;
}
