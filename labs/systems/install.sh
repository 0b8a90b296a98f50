#!/bin/sh
# install.sh - installs flashtwin on a course system's machine, from the source archive next to this
# script. Does nothing if there is a flashtwin already, as in an image that has it.
#
# PREFIX (default /usr/local) says where. Packages are installed as root on Debian and Ubuntu.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
PREFIX=${PREFIX:-/usr/local}

# The sandbox, and what reads the submission's metadata.
packages=
command -v bwrap >/dev/null 2>&1 || packages="$packages bubblewrap"
command -v python3 >/dev/null 2>&1 || packages="$packages python3"
if [ -n "$packages" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
	DEBIAN_FRONTEND=noninteractive
	export DEBIAN_FRONTEND
	apt-get -qq update
	# Unquoted: one word per package.
	apt-get -qq install -y --no-install-recommends $packages
fi

if command -v flashtwin >/dev/null 2>&1; then
	echo "flashtwin is installed: $(command -v flashtwin)"
	exit 0
fi
for archive in "$here"/flashtwin-*.tar.*; do
	[ -e "$archive" ] || {
		echo "install.sh: no flashtwin here, and no source archive next to $0" >&2
		exit 1
	}
done
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
tar -xf "$archive" -C "$build"
cd "$build"/flashtwin-*
CONFIGURE_FLAGS="--prefix=$PREFIX --without-cuda" ./bootstrap build
make -C build install
