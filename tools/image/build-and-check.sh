#!/bin/sh
# Builds the image of the Dockerfile on a base of this machine's Node, without a container engine, and checks what it does when it runs.
#
# Needs root, buildah, debootstrap, unshare and ip; ends with 77 and says why where one is missing. Nothing is left behind but buildah's own blob cache.

set -eu

skip() {
  echo "The image was not checked: $1" >&2
  exit 77
}

[ "$(id -u)" = 0 ] || skip 'only root can build it without a container engine'
for tool in buildah debootstrap unshare ip node npm; do
  command -v "$tool" >/dev/null || skip "$tool is not installed"
done
project=$(cd "$(dirname "$0")/../.." && pwd)
[ -x "$project/node_modules/.bin/tsx" ] || skip "run 'npm ci' first"
# With a network of its own the image has its ports to itself, and nobody else can reach it.
unshare --net ip link set lo up 2>/dev/null || skip 'a network of its own is not allowed here'
# A read-only file system and volumes are mounts that end with the process that has them.
unshare --mount mount --bind / / 2>/dev/null || skip 'mounts of its own are not allowed here'

work=$(mktemp -d)
store="--root $work/store --runroot $work/run --storage-driver vfs"
export BUILDAH_ISOLATION=chroot
trap 'buildah $store rm --all >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

echo 'Making a base with Node...'
base=$work/base
debootstrap --variant=minbase --include=ca-certificates,libstdc++6 stable "$base" >"$work/base.log" 2>&1 || {
  tail -n 5 "$work/base.log" >&2
  skip 'the packages for a base cannot be had'
}
rm -rf "$base/var/cache/apt" "$base/var/lib/apt/lists"
cp -L "$(command -v node)" "$base/usr/local/bin/node"
mkdir -p "$base/usr/local/lib/node_modules"
cp -RL "$(dirname "$(readlink -f "$(command -v npm)")")/.." "$base/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$base/usr/local/bin/npm"
chroot "$base" useradd --uid 1000 --create-home node
# However this machine reaches its registry, so does the build.
{
  echo "registry=$(npm config get registry 2>/dev/null)"
  [ ! -f "$HOME/.npmrc" ] || cat "$HOME/.npmrc"
} >"$base/root/.npmrc"
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then cat "$NODE_EXTRA_CA_CERTS" >"$base/usr/local/share/extra-ca.pem"; fi

container=$(buildah $store from scratch)
buildah $store add --quiet "$container" "$base" / >/dev/null
if [ -f "$base/usr/local/share/extra-ca.pem" ]; then
  buildah $store config --env NODE_EXTRA_CA_CERTS=/usr/local/share/extra-ca.pem "$container"
fi
buildah $store commit --quiet --rm "$container" jitney-check-base >/dev/null

echo 'Building the image...'
# Known to Docker since 25, and not yet to the buildah of every system.
sed 's/ --start-interval=[^ ]*//' "$project/Dockerfile" >"$work/Dockerfile"
buildah $store build --quiet --pull=never --network host --format docker --file "$work/Dockerfile" \
  --build-arg NODE_IMAGE=jitney-check-base --tag jitney-check "$project" >"$work/build.log" 2>&1 || {
  tail -n 20 "$work/build.log" >&2
  echo 'The image cannot be built.' >&2
  exit 1
}

container=$(buildah $store from --pull=never jitney-check)
buildah $store inspect --type image jitney-check >"$work/image.json"
root=$(buildah $store mount "$container")
# As every engine does.
echo '127.0.0.1 localhost' >"$root/etc/hosts"
cd "$project"
unshare --net sh -c 'ip link set lo up && exec "$@"' sh \
  node_modules/.bin/tsx tools/image/check-image.ts "$root" "$work/image.json"
