#!/usr/bin/env bash
# Builds and runs the crate in `library`, which depends on this one: by path without a network, and by
# git.
#
# Needs the dependencies of asp-solve, already fetched; CLINGO_BUILD_CACHE avoids compiling clingo twice.
set -euo pipefail
root=$(dirname "$(dirname "$(realpath "$0")")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Reuses the artefacts of this crate. Everything else is built without optimisation, because the test is
# only that it builds and runs.
export CLINGO_BUILD_CACHE=${CLINGO_BUILD_CACHE:-$work/clingo} CARGO_TARGET_DIR=$(realpath -m "${CARGO_TARGET_DIR:-$root/target}") CARGO_INCREMENTAL=0

# depend NAME ASP-SOLVE CMAKE COMMAND…: the sources of the two packages in the notation of Cargo.toml, and
# the cargo command.
depend() {
  cp -r "$root/examples/library/." "$work/$1"
  # The versions with which this crate is tested.
  cp "$root/Cargo.lock" "$work/$1"
  sed -i "s#^asp-solve = .*#asp-solve = $2#; s#^cmake = .*#cmake = $3#" "$work/$1/Cargo.toml"
  # The profile with which the dependencies were built.
  sed -n '/^\[profile[.]release/,/^\[profile[.]dist\]/{ /^\[profile[.]dist\]/!p }' "$root/Cargo.toml" >> "$work/$1/Cargo.toml"
  # It is not to be fast, but to be built fast.
  local crate slow=(--config profile.release.package.asp-solve.opt-level=0)
  for crate in "$root"/crates/*/; do
    slow+=(--config "profile.release.package.$(basename "$crate").opt-level=0")
  done
  (cd "$work/$1" && cargo "${@:4}" --quiet --release "${slow[@]}")
}

release='^clingo 5[.]8[.]2$'
if ! cargo fetch --quiet --locked --offline --manifest-path "$root/build/clingo/Cargo.toml" 2> "$work/fetch.txt"; then
  echo 'THE SOURCES OF CLINGO 5.8.2 WERE NOT FETCHED: the older ones are built' >&2
  release='^clingo '
fi
here=("{ path = \"$root\" }" "{ path = \"$root/build/cmake\" }")
if command -v git > /dev/null; then
  # Only one of the two is run.
  echo 'by path, offline: every line of it compiles'
  depend path "${here[@]}" check --offline
  # A separate repository: this folder may not be one, or may be shallow.
  mkdir "$work/repository"
  tar -C "$root" --exclude=./target --exclude=./.git -cf - . | tar -C "$work/repository" -xf -
  git -C "$work/repository" init --quiet
  git -C "$work/repository" add --all
  git -C "$work/repository" -c user.name=test -c user.email=test@example.org commit --quiet --message=test
  there="{ git = \"file://$work/repository\" }"
  echo 'by git'
  depend git "$there" "$there" run > "$work/run.txt"
else
  echo 'GIT IS NOT HERE: the dependency by git was not tried' >&2
  echo 'by path, offline'
  depend path "${here[@]}" run --offline > "$work/run.txt"
fi
cat "$work/run.txt"
grep --quiet "$release" "$work/run.txt"
