#!/usr/bin/env bash
# Makes the documents into a site of static pages (docs/internals/site.md):
#   checks/site.sh [FOLDER]             into FOLDER/VERSION, beside other versions; FOLDER is target/site unless given
#   checks/site.sh --javadoc [FOLDER]   the same with the Javadoc of the published modules, which it builds
#   checks/site.sh --links              asks other hosts whether the links to them lead somewhere; makes no pages
# Needs Python from 3.11 on: python3 on the PATH, or the one that PYTHON names. The generator and all that it needs are
# installed by pip into target, in the versions and with the hashes of docs/site/requirements.txt.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

javadoc= links=
case ${1-} in
  --javadoc) javadoc=yes && shift ;;
  --links) links=yes && shift ;;
  -*) sed -n '2,5s/^# //p' "${BASH_SOURCE[0]}" >&2 && exit 2 ;;
esac
site=${1-target/site}
version=$(sed -n 's|^  <version>\(.*\)</version>$|\1|p' pom.xml)
python=${PYTHON-python3}

if ! "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  echo "site.sh: needs Python from 3.11 on with its module venv; set PYTHON to one (Debian: apt-get install python3-venv)" >&2
  exit 1
fi

# One environment per Python and list of packages. An incomplete installation has no mark file and is made again.
key=$({ "$python" -VV && cat docs/site/requirements.txt; } | shasum -a 256 | cut -c1-12)
tools=target/site-tools-$key
if [ ! -e "$tools/complete" ]; then
  rm -rf target/site-tools-*
  "$python" -m venv "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r docs/site/requirements.txt
  touch "$tools/complete"
fi
sphinx() {
  "$tools/bin/sphinx-build" --quiet --fail-on-warning --keep-going --jobs auto --conf-dir docs/site --doctree-dir target/site-doctrees "$@"
}

if [ -n "$links" ]; then
  sphinx --builder linkcheck . target/site-links
  exit
fi

modules=()
if [ -n "$javadoc" ]; then
  for pom in $(grep -l '<weir.unpublished>false<' weir-*/pom.xml); do
    modules+=("${pom%/pom.xml}")
  done
  ./mvnw -B -ntp -q -Prelease -Dmaven.test.skip=true package -pl "$(IFS=,; echo "${modules[*]}")" -am
fi

# Built in a separate folder, so that a failed run leaves the old pages in place.
made=target/site-made
rm -rf "$made"
sphinx --fresh-env ${javadoc:+--tag javadoc} . "$made"
for module in ${modules[@]+"${modules[@]}"}; do
  "$python" -m zipfile -e "$module/target/$module-$version-javadoc.jar" "$made/api/$module"
  # The style sheet of the JDK imports fonts, which Maven's plugin leaves out.
  styles=$made/api/$module/resource-files/stylesheet.css
  sed '/fonts\/dejavu.css/d' "$styles" >"$styles.new"
  mv "$styles.new" "$styles"
  # Adds the switches for versions and dark mode to the script that every page loads. Only the site has them.
  cat docs/site/javadoc.js >>"$made/api/$module/script-files/script.js"
done
rm -rf "$made/.buildinfo" "$made/objects.inv" "${site:?}/$version"
mkdir -p "$site"
mv "$made" "$site/$version"

# All versions, newest first; a snapshot comes before its release.
versions=$(cd "$site" && for page in [0-9]*/README.html; do echo "${page%/*}"; done | sed 's/-/~/' | sort -rV | sed 's/~/-/')
printf 'window.weirVersions = [%s];\n' "$(sed 's/.*/"&"/' <<<"$versions" | paste -sd, -)" >"$site/versions.js"
newest=$(grep -v -- '-SNAPSHOT$' <<<"$versions" | head -1 || true)
newest=${newest:-$(head -1 <<<"$versions")}
cat >"$site/index.html" <<HTML
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Weir</title>
<meta http-equiv="refresh" content="0; url=$newest/README.html">
<p><a href="$newest/README.html">Weir $newest</a></p>
</html>
HTML
echo "$site/index.html"
