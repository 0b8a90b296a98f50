#!/bin/sh
# fresh.sh [SUITE] - both commands of README.md on a bare system, as root and then as a user.
#
# Makes a minimal chroot of SUITE (default bookworm; noble is Ubuntu 24.04), puts a clean checkout
# of HEAD into root's home, and runs `./bootstrap demo` and `./bootstrap check` as root; then both
# as an ordinary user, in that user's home, with the packages that root's runs installed. Prints
# the installed packages and a table of the four runs. Exit code 0: all runs succeeded; 1:
# something failed; 77: this machine cannot make the chroot.
#
# Needs root, git, a network, 5 GB in $TMPDIR (/tmp) and either mmdebstrap or debootstrap. Commands
# in the chroot run in separate mount and process namespaces, with their own /proc, /dev, /dev/pts
# and /dev/shm: a signal ends all of them, nothing stays mounted, and the directory is removed (it
# stays after SIGKILL). FLASHTWIN_SLOW is passed on. Packages come from the host's mirror for SUITE,
# with the host's apt settings and keys. FRESH_MIRROR names another mirror, FRESH_KEYRING the file
# with its keys, as in
#
#     FRESH_MIRROR=http://archive.ubuntu.com/ubuntu FRESH_KEYRING=ubuntu-archive-keyring.gpg \
#         tests/fresh.sh noble
set -u

say() {
	echo "fresh: $*" >&2
}

# refuse CODE WHY: prints WHY and exits with CODE.
refuse() {
	say "$2"
	exit "$1"
}

### the host

# Prints the mirror of the suite in apt's configuration; nothing: use the chroot maker's default.
host_mirror() {
	apt-get indextargets --format '$(CODENAME) $(RELEASE) $(COMPONENT) $(REPO_URI)' \
		'Created-By: Packages' 2>/dev/null |
		awk -v suite="$suite" '($1 == suite || $2 == suite) && $3 == "main" {
			print $4; exit }'
}

# Prints apt's settings for the network and for the age of package lists, as a configuration file.
host_settings() {
	apt-config dump --format '%F "%v";%n' 2>/dev/null |
		grep -E '^Acquire::(http|https|ftp|Retries|Check-)'
}

# Checks that the host has what this script needs; exits if not.
check_host() {
	[ "$(id -u)" -eq 0 ] || refuse 77 'making a chroot needs root'
	for program in git unshare chroot; do
		command -v "$program" >/dev/null 2>&1 || refuse 77 "no $program"
	done
	maker=
	for program in debootstrap mmdebstrap; do
		command -v "$program" >/dev/null 2>&1 && maker=$program
	done
	[ -n "$maker" ] || refuse 77 'no mmdebstrap and no debootstrap: apt-get install mmdebstrap'
	unshare --mount --pid --fork true 2>/dev/null || refuse 77 'cannot make namespaces here'
	commit=$(in_git rev-parse --verify -q HEAD) || refuse 2 "$top is not a git checkout"
	[ -z "$(in_git status --porcelain)" ] ||
		say 'uncommitted changes are not tested'
}

# The checkout may belong to another user.
in_git() {
	git -c safe.directory='*' -C "$top" "$@"
}

### the chroot

# Sets $keyring to the file with the keys of the distribution.
find_keyring() {
	keyring=${FRESH_KEYRING-}
	[ -n "$keyring" ] || keyring=/usr/share/keyrings/$distribution-archive-keyring.gpg
	[ -r "$keyring" ] ||
		refuse 77 "no $keyring: install $distribution's keys or set FRESH_KEYRING"
}

# Makes the base system in $root.
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
	isolated "$@" ${mirror:+"$mirror"} >"$logs/base.log" 2>&1 || {
		tail -n 20 "$logs/base.log" >&2
		refuse 1 "$maker could not make $suite (see $logs/base.log)"
	}
}

# Gives the chroot the host's network settings, keeps packages from starting services, adds a user.
configure_base() {
	cp "$work/apt.conf" "$root/etc/apt/apt.conf.d/90fresh" &&
		cp -L /etc/resolv.conf /etc/hosts "$root/etc/" &&
		printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" &&
		chmod 755 "$root/usr/sbin/policy-rc.d" || return
	# The base has no certificates: copy those that https and apt's settings need.
	{
		case $mirror in https:*) echo /etc/ssl/certs/ca-certificates.crt ;; esac
		sed -n 's/.*::CaInfo "\(.*\)";/\1/p' "$work/apt.conf"
	} | while read -r file; do
		mkdir -p "$root${file%/*}" && cp -L "$file" "$root$file" || exit 1
	done || return
	inside useradd --create-home --shell /bin/sh user
}

# checkout HOME USER: puts the files of the commit into HOME/flashtwin, owned by USER.
checkout() {
	mkdir "$root$1/flashtwin" &&
		in_git archive "$commit" | tar -x -C "$root$1/flashtwin" --no-same-owner &&
		inside chown -R "$2:" "$1/flashtwin"
}

# Sets up the mounts of a command in the chroot: a separate /dev/pts, which terminal tests need, and
# a mount point at /, so that tests can make mount namespaces themselves.
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

# isolated COMMAND...: runs it in new namespaces, which end with it and with this script.
isolated() {
	unshare --mount-proc --pid --fork --kill-child "$@" </dev/null &
	child=$!
	wait "$child"
	ended=$?
	child=
	return "$ended"
}

# inside COMMAND...: runs it in the chroot.
inside() {
	isolated sh -c "$enter" enter "$root" "$@"
}

# Runs at every exit: ends the processes, and with them their mounts, then removes the directory.
# Nothing is ever mounted in this script's own namespace, so this only removes files of the chroot.
clean_up() {
	[ -z "$child" ] || kill -KILL "$child"
	# Processes that are being killed may still create files.
	for tries in 1 2 3 4 5; do
		rm -rf --one-file-system "$work" 2>/dev/null && return
		sleep 1
	done
	say "$work could not be removed"
}

### runs

# packages FILE: writes the name and version of every installed package to FILE.
packages() {
	inside dpkg-query -W -f '${Package} ${Version}\n' | sort >"$1"
}

# run_as USER VERB: runs ./bootstrap VERB in a login shell; adds a line to the table.
run_as() {
	log=$logs/$1.$2.log
	say "./bootstrap $2 as $1"
	from=$(date +%s)
	inside su -l "$1" -c "cd flashtwin && FLASHTWIN_SLOW=${FLASHTWIN_SLOW:-1} ./bootstrap $2" \
		>"$log" 2>&1
	code=$?
	case $code in
	0) outcome=ok ;;
	*) outcome="exit $code" failed=1 ;;
	esac
	printf '%-6s %-6s %-9s %7d  %s\n' "$1" "$2" "$outcome" \
		$(($(date +%s) - from)) "$(tail -n 1 "$log" | cut -c 1-70)" >>"$work/table"
}

# both_as USER HOME: runs both commands in a checkout in HOME; keeps the logs of the tests.
both_as() {
	checkout "$2" "$1" || refuse 1 "cannot make a checkout in $2"
	run_as "$1" demo
	run_as "$1" check
	# Without packages there is no build directory.
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
check_host
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

say "testing commit $(in_git log -1 --format='%h %s' "$commit")"
say "making $suite with $maker from ${mirror:-its default mirror}; logs: $logs"
make_base
configure_base || refuse 1 'cannot configure the base system'
packages "$work/before"
both_as root /root
packages "$work/after"
both_as user /home/user
report
exit "$failed"
