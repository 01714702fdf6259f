// To come.

type ComposeProps = { readonly path: string | undefined; readonly from: number | undefined };

export function ComposeScreen({ path, from }: ComposeProps) {
  return <section aria-label={`New message ${path} ${from}`} />;
}
