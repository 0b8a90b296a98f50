#!/bin/sh
# fresh.sh [SUITE] - both commands of README.md on a bare system, as root and then as a user.
#
# Makes a chroot of SUITE (default bookworm; noble is Ubuntu 24.04) with nothing but its base, puts
# a clean checkout of HEAD into root's home, and runs `./bootstrap demo` and `./bootstrap check` as
# root; then both again in the home of an ordinary user, with the packages that root's runs have
# installed. Ends with what was installed and a table of the four runs. Exit code 0: all went well;
# 1: something failed; 77: this machine cannot make the chroot.
#
# Needs root, git, a network, 5 GB in $TMPDIR (/tmp) and either mmdebstrap or debootstrap. Commands
# in the chroot run in a mount namespace and a process namespace of their own, with their own
# /proc, /dev, /dev/pts and /dev/shm: a signal ends all of them, nothing stays mounted, and the
# directory is removed (after SIGKILL it stays). Packages come from where the host's apt takes
# SUITE, with its settings and keys. FRESH_MIRROR names another mirror, FRESH_KEYRING the file with
# its keys, as in
#
#     FRESH_MIRROR=http://archive.ubuntu.com/ubuntu FRESH_KEYRING=ubuntu-archive-keyring.gpg \
#         tests/fresh.sh noble
set -u

say() {
	echo "fresh: $*" >&2
}

# refuse CODE WHY
refuse() {
	say "$2"
	exit "$1"
}

### what the host has

# The mirror of the suite in apt's configuration; empty: the default of whatever makes the chroot.
host_mirror() {
	apt-get indextargets --format '$(CODENAME) $(RELEASE) $(COMPONENT) $(REPO_URI)' \
		'Created-By: Packages' 2>/dev/null |
		awk -v suite="$suite" '($1 == suite || $2 == suite) && $3 == "main" {
			print $4; exit }'
}

# apt's settings about the network and the age of lists, as a file of settings.
host_settings() {
	apt-config dump --format '%F "%v";%n' 2>/dev/null |
		grep -E '^Acquire::(http|https|ftp|Retries|Check-)'
}

# What this script needs, or a refusal.
judge_host() {
	[ "$(id -u)" -eq 0 ] || refuse 77 'a chroot needs root'
	for program in git unshare chroot; do
		command -v "$program" >/dev/null 2>&1 || refuse 77 "no $program"
	done
	maker=
	for program in debootstrap mmdebstrap; do
		command -v "$program" >/dev/null 2>&1 && maker=$program
	done
	[ -n "$maker" ] || refuse 77 'no mmdebstrap and no debootstrap: apt-get install mmdebstrap'
	unshare --mount --pid --fork true 2>/dev/null || refuse 77 'no namespaces can be made here'
	commit=$(in_git rev-parse --verify -q HEAD) || refuse 2 "$top is not a git checkout"
	[ -z "$(in_git status --porcelain)" ] ||
		say 'what is not committed is not part of the checkout that is tried'
}

# Who owns the checkout is of no interest.
in_git() {
	git -c safe.directory='*' -C "$top" "$@"
}

### the chroot

# The file with the keys of the distribution.
find_keyring() {
	keyring=${FRESH_KEYRING-}
	[ -n "$keyring" ] || keyring=/usr/share/keyrings/$distribution-archive-keyring.gpg
	[ -r "$keyring" ] ||
		refuse 77 "no $keyring: install $distribution's keys or set FRESH_KEYRING"
}

# Makes the base in $root.
make_base() {
	components=main
	[ "$distribution" = debian ] || components=main,universe
	host_settings >"$work/apt.conf"
	if [ "$maker" = mmdebstrap ]; then
		# Ubuntu does not require apt; debootstrap's base always has it.
		set -- mmdebstrap --mode=root --variant=minbase --include=apt \
			--components="$components" --keyring="$keyring" \
			--aptopt="$work/apt.conf" "$suite" "$root"
	else
		# debootstrap does not read apt's settings.
		eval "$(apt-config shell http_proxy Acquire::http::Proxy \
			https_proxy Acquire::https::Proxy 2>/dev/null)"
		[ -z "${http_proxy-}" ] || export http_proxy
		[ -z "${https_proxy-}" ] || export https_proxy
		set -- debootstrap --variant=minbase --components="$components" \
			--keyring="$keyring" --force-check-gpg "$suite" "$root"
	fi
	apart "$@" ${mirror:+"$mirror"} >"$logs/base.log" 2>&1 || {
		tail -n 20 "$logs/base.log" >&2
		refuse 1 "$maker could not make $suite (see $logs/base.log)"
	}
}

# How the host reaches the network, and that packages start no services.
settle_base() {
	cp "$work/apt.conf" "$root/etc/apt/apt.conf.d/90fresh" &&
		cp -L /etc/resolv.conf /etc/hosts "$root/etc/" &&
		printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" &&
		chmod 755 "$root/usr/sbin/policy-rc.d" || return
	# The base has no certificates: those that https takes, and those that apt's settings name.
	{
		case $mirror in https:*) echo /etc/ssl/certs/ca-certificates.crt ;; esac
		sed -n 's/.*::CaInfo "\(.*\)";/\1/p' "$work/apt.conf"
	} | while read -r file; do
		mkdir -p "$root${file%/*}" && cp -L "$file" "$root$file" || exit 1
	done || return
	inside useradd --create-home --shell /bin/sh user
}

# checkout HOME USER: the commit, and nothing else, owned by the user.
checkout() {
	mkdir "$root$1/flashtwin" &&
		in_git archive "$commit" | tar -x -C "$root$1/flashtwin" --no-same-owner &&
		inside chown -R "$2:" "$1/flashtwin"
}

# What every process of the chroot sees. With /dev/pts of its own, so that terminals can be had; a
# mount point at /, so that tests can make mount namespaces in turn.
enter='
	set -e
	PATH=/usr/sbin:/usr/bin:/sbin:/bin
	export PATH
	root=$1
	shift
	mount --bind "$root" "$root"
	mount -t proc proc "$root/proc"
	mount -t tmpfs -o mode=755,nosuid dev "$root/dev"
	for node in null zero full random urandom tty; do
		: >"$root/dev/$node"
		mount --bind "/dev/$node" "$root/dev/$node"
	done
	mkdir "$root/dev/pts" "$root/dev/shm"
	mount -t devpts -o newinstance,gid=5,mode=620,ptmxmode=666 devpts "$root/dev/pts"
	mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
	ln -s pts/ptmx "$root/dev/ptmx"
	ln -s /proc/self/fd "$root/dev/fd"
	for number in 0:stdin 1:stdout 2:stderr; do
		ln -s "/proc/self/fd/${number%:*}" "$root/dev/${number#*:}"
	done
	chroot "$root" "$@"
	exit
'

# apart COMMAND...: in namespaces that end with it, and with this script.
apart() {
	unshare --mount-proc --pid --fork --kill-child "$@" </dev/null &
	child=$!
	wait "$child"
	ended=$?
	child=
	return "$ended"
}

# inside COMMAND...: in the chroot.
inside() {
	apart sh -c "$enter" enter "$root" "$@"
}

# Whatever ends this script: processes and their mounts first, then the directory. Nothing is ever
# mounted in this script's own namespace, so that this removes files of the chroot alone.
clean_up() {
	[ -z "$child" ] || kill -KILL "$child"
	# Processes that are being killed may still make files.
	for tries in 1 2 3 4 5; do
		rm -rf --one-file-system "$work" 2>/dev/null && return
		sleep 1
	done
	say "$work could not be removed"
}

### runs

# packages FILE: every package and its version.
packages() {
	inside dpkg-query -W -f '${Package} ${Version}\n' | sort >"$1"
}

# run_as USER VERB: one of README.md's commands, in a login shell; adds a line to the table.
run_as() {
	log=$logs/$1.$2.log
	say "./bootstrap $2 as $1"
	from=$(date +%s)
	inside su -l "$1" -c "cd flashtwin && ./bootstrap $2" >"$log" 2>&1
	code=$?
	case $code in
	0) outcome=ok ;;
	*) outcome="exit $code" failed=1 ;;
	esac
	printf '%-6s %-6s %-9s %7d  %s\n' "$1" "$2" "$outcome" \
		$(($(date +%s) - from)) "$(tail -n 1 "$log" | cut -c 1-70)" >>"$work/table"
}

# both_as USER HOME: both commands in a checkout there; keeps what its tests said.
both_as() {
	checkout "$2" "$1" || refuse 1 "no checkout in $2"
	run_as "$1" demo
	run_as "$1" check
	# There is no build when packages could not be installed.
	(cd "$root$2/flashtwin/build" 2>/dev/null || exit 0
	find . \( -name '*.log' -o -name '*.trs' \) -print0 |
		tar -c --null -T - -zf "$logs/$1.tests.tar.gz")
}

report() {
	comm -13 "$work/before" "$work/after" >"$logs/installed"
	echo
	echo "installed on $suite: $(wc -l <"$logs/installed") packages"
	cut -d ' ' -f 1 "$logs/installed" | tr '\n' ' ' | fold -s -w 98 | sed 's/^/  /'
	echo
	echo
	printf '%-6s %-6s %-9s %7s  %s\n' as verb result seconds 'last line'
	cat "$work/table"
	echo "logs: $logs"
}

suite=${1-bookworm}
[ $# -le 1 ] && [ "${suite#-}" = "$suite" ] || refuse 2 'usage: tests/fresh.sh [SUITE]'
top=$(cd "$(dirname "$0")/.." && pwd) || exit 2
case $suite in
jammy|noble|oracular|plucky) distribution=ubuntu ;;
*) distribution=debian ;;
esac
failed=0
child=
judge_host
find_keyring
mirror=${FRESH_MIRROR-$(host_mirror)}

work=$(mktemp -d -t fresh.XXXXXX) || exit 1
logs=$(mktemp -d -t "fresh-$suite.XXXXXX") || exit 1
root=$work/root
mkdir "$root" || exit 1
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

say "trying commit $(in_git log -1 --format='%h %s' "$commit")"
say "making $suite with $maker from ${mirror:-its default mirror}; logs: $logs"
make_base
settle_base || refuse 1 'the base could not be set up'
packages "$work/before"
both_as root /root
packages "$work/after"
both_as user /home/user
report
exit "$failed"
