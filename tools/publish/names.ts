// The names under which the project is published: where they stand in the project's files, and how they are replaced there.

/** As `names.json` has them. */
export type Names = {
  /** Owner and name on GitHub, such as `someone/project`. */
  readonly repository: string;
  /** Registry, owner and name of the container image, such as `ghcr.io/someone/project`. */
  readonly image: string;
};
export type TextFile = { readonly path: string; readonly text: string };
export type Place = { readonly path: string; readonly line: number; readonly name: string };

const REPOSITORY = /^[a-z\d](?:[a-z\d-]{0,37}[a-z\d])?\/[\w.-]{1,100}$/i;
/** The registry has a dot or a port, so that an image is never taken for a repository. */
const IMAGE = /^[a-z\d-]+(?:\.[a-z\d-]+|:\d+)[a-z\d.:-]*(?:\/[a-z\d]+(?:[._-]+[a-z\d]+)*)+$/;
/** Names of other projects at these hosts have another last part. */
const HOSTED =
  /(?:\b(?:github\.com|raw\.githubusercontent\.com|ghcr\.io)[/:]|\buses: )([\w.<>-]+)\/([\w.-]+)/g;

/** Says what is wrong with the names, one sentence each. */
export function problemsOf({ repository, image }: Names): string[] {
  return [
    ...(REPOSITORY.test(repository)
      ? []
      : [`The repository is "${repository}". Give owner and name as on GitHub, such as someone/project.`]),
    ...(IMAGE.test(image)
      ? []
      : [
          `The image is "${image}". Give registry, owner and name in small letters, without a tag, such as ghcr.io/someone/project.`,
        ]),
  ];
}

/** Finds each place where one of the names stands, in the order of the files. */
export function placesOf(names: Names, files: readonly TextFile[]): Place[] {
  return files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        [...line.matchAll(patternOf(names))].map(([name]) => ({ path, line: index + 1, name })),
      ),
  );
}

/** Replaces the names of the first by those of the second. Returns the files that have changed. */
export function renamed(files: readonly TextFile[], from: Names, to: Names): TextFile[] {
  const pattern = patternOf(from);
  return files.flatMap(({ path, text }) => {
    const changed = text.replace(pattern, (name) => (name === from.image ? to.image : to.repository));
    return changed === text ? [] : [{ path, text: changed }];
  });
}

/** Finds places that name this project with another owner. */
export function straysOf({ repository, image }: Names, files: readonly TextFile[]): Place[] {
  const known = [repository, image.split('/').slice(-2).join('/')];
  const names = known.map((name) => name.split('/')[1]);
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) =>
      [...line.matchAll(HOSTED)]
        .map(([, owner = '', name = '']) => ({ owner, name: name.replace(/(\.git)?\.?$/, '') }))
        .filter(({ owner, name }) => names.includes(name) && !known.includes(`${owner}/${name}`))
        .map(({ owner, name }) => ({ path, line: index + 1, name: `${owner}/${name}` })),
    ),
  );
}

/** The image comes first, because the repository's name may be a part of it. */
function patternOf({ repository, image }: Names): RegExp {
  const [first, second] = [image, repository].map((name) => name.replace(/[.]/g, '\\.'));
  return new RegExp(`(?<![\\w-])(?:${first}|${second})(?![\\w-])`, 'g');
}
