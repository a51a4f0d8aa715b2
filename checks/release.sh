#!/usr/bin/env bash
# Builds the release twice, in two folders of different names, and compares all that would be uploaded, byte by byte.
# Further arguments go to Maven. Uncommitted changes are built too. Takes some minutes and 1 GB below the temporary folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

published=weir-bom,weir-console,weir-jdbc,weir-otel,weir-spring-boot-starter
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build() {
  local folder=$1
  shift
  mkdir -p "$folder"
  # Without xargs, which would split many names over several tar archives; only the first would be read. Skips deleted files.
  git ls-files -z --cached --others --exclude-standard |
    while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done |
    tar -cf - --null -T - | tar -xf - -C "$folder"
  (cd "$folder" && ./mvnw -B -ntp -q -Prelease -Dmaven.test.skip=true "$@" verify -pl "$published",weir-dist -am)
  (
    cd "$folder"
    # Jars of unpublished modules are compared too, because the archive contains them.
    find weir-*/target -maxdepth 1 -type f \( -name 'weir-*-[0-9]*' -o -name 'weir-[0-9]*.tar.gz*' \) -print0 | sort -z | xargs -0 shasum -a 256
  ) >"$folder.sums"
}

build "$work/one" "$@"
build "$work/the other one" "$@"
diff "$work/one.sums" "$work/the other one.sums" || {
  echo "release.sh: these files differ between two builds of the same sources" >&2
  exit 1
}
for ending in .jar -sources.jar -javadoc.jar -cyclonedx.json .jar.sha256 .jar.sha512 .tar.gz .tar.gz.sha256; do
  grep -q -- "$ending\$" "$work/one.sums" || {
    echo "release.sh: the build made no file that ends in $ending" >&2
    exit 1
  }
done
cat "$work/one.sums"
echo "The same in both builds: $(wc -l <"$work/one.sums") files."
