# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by deploy/quickstart and deploy/test; sourced, not run.

say() { printf '%s\n' "$*" >&2; }
die() { say "$(basename "$0"): $*"; exit 1; }

# stage TEXT - one line of progress with the time since the start
stage() { printf '[%4d s] %s\n' "$SECONDS" "$*" >&2; }

# as_root COMMAND... - run as root, through sudo when we are not
as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "\"$*\" needs root: run as root or install sudo"
	fi
}

# packages LIST... - the names in deploy/packages/LIST.txt
packages() {
	local list

	for list in "$@"; do
		sed 's/#.*//; /^[[:space:]]*$/d' "$top/deploy/packages/$list.txt"
	done | sort -u
}

# install_packages LIST... - install what is missing, and only that
install_packages() {
	local missing name

	command -v apt-get >/dev/null ||
		die "this needs Debian 12: there is no apt-get"
	missing=$(for name in $(packages "$@"); do
		case $(dpkg-query -W -f '${db:Status-Status}' "$name" \
			2>/dev/null) in
		installed) ;;
		*) echo "$name" ;;
		esac
	done)
	[ -n "$missing" ] || return 0
	stage "installing" $missing
	as_root apt-get -qq update >&2
	# shellcheck disable=SC2086
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
		--no-install-recommends install $missing </dev/null >&2
}

# setup_build DIR MESON_ARGUMENTS... - configure once, meson keeps it current
setup_build() {
	local dir=$1

	shift
	if [ ! -f "$dir/build.ninja" ]; then
		rm -rf "$dir"
		meson setup "$dir" "$top" "$@" >"$dir.log" 2>&1 || {
			cat "$dir.log" >&2
			die "meson setup failed"
		}
	fi
}

# make_build DIR - compile; the output is shown only when it fails
make_build() {
	local dir=$1

	ninja -C "$dir" >"$dir.log" 2>&1 || {
		grep -v '^\[' "$dir.log" >&2
		die "the build in $dir failed"
	}
}
