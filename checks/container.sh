#!/usr/bin/env bash
# Runs the image as a container without a container engine and without a registry. Builds a base image from Debian packages
# with Java 25, lets Jib add Weir's image to it, and runs ContainerTest. Its container uses no files of this machine.
# Needs root on Linux, mmdebstrap (apt-get install mmdebstrap) and the network; some 2 GB below the temporary folder.
# Further arguments go to Maven.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mmdebstrap --quiet --variant=minbase --include=openjdk-25-jre-headless trixie "$work/layer.tar" http://deb.debian.org/debian

# Writes an image with a single layer, in the format of `docker save`.
sum=$(sha256sum "$work/layer.tar" | cut -d ' ' -f 1)
cat >"$work/config.json" <<JSON
{"architecture": "amd64", "os": "linux", "created": "1970-01-01T00:00:00Z",
 "config": {"Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]},
 "rootfs": {"type": "layers", "diff_ids": ["sha256:$sum"]}, "history": [{"created_by": "mmdebstrap"}]}
JSON
echo '[{"Config": "config.json", "RepoTags": ["base:debian"], "Layers": ["layer.tar"]}]' >"$work/manifest.json"
tar -cf "$work/base.tar" -C "$work" manifest.json config.json layer.tar
rm "$work/layer.tar"

# The next build creates the image again, without this base.
./mvnw -B -ntp "$@" verify -Plong -pl checks/deploy -am -Dtest=ContainerTest -Dsurefire.failIfNoSpecifiedTests=false \
  -Dweir.image.base="tar://$work/base.tar" -Dweir.image.hasBase=true
