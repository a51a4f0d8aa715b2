#!/bin/sh
# Looks for known vulnerabilities in what Weir ships and builds with:
#   checks/audit.sh              makes target/bom.json, a bill of materials of all modules, and has it checked
#   checks/audit.sh --offline    the same with the databases that are on this machine
# It needs osv-scanner (https://google.github.io/osv-scanner) or grype (https://github.com/anchore/grype), which bring the
# database; without one of them only the bill of materials is made, and the exit code is 2. What is covered, and what is
# not: docs/internals/dependencies.md.
set -eu
cd "$(dirname "$0")/.."
offline=
maven=
if [ "${1-}" = --offline ]; then
  offline=yes
  maven=-o
fi
./mvnw -q -B $maven org.cyclonedx:cyclonedx-maven-plugin:makeAggregateBom \
  -DoutputFormat=json -DoutputName=bom -DincludeTestScope=true
components=$(grep -c '"purl"' target/bom.json || true)
echo "audit: $components entries in target/bom.json"
if command -v osv-scanner >/dev/null; then
  exec osv-scanner scan source ${offline:+--offline-vulnerabilities} --sbom target/bom.json
elif command -v grype >/dev/null; then
  [ -z "$offline" ] || export GRYPE_DB_AUTO_UPDATE=false GRYPE_DB_VALIDATE_AGE=false
  exec grype --fail-on medium sbom:target/bom.json
fi
echo "audit: nothing was checked: there is no osv-scanner and no grype on the PATH" >&2
exit 2
