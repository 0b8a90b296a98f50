#!/bin/sh
# driver.sh - grades the handed-in file for Autolab. If flashtwin itself fails there is no autoresult,
# so that nobody gets 0 points for that.
set -u

here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:$HOME/flashtwin/bin
export PATH
read -r lab file <"$here/lab"
log=$here/install.log
PREFIX=${PREFIX:-$HOME/flashtwin} sh "$here/install.sh" >"$log" 2>&1 || {
	tail -n 20 "$log"
	exit 1
}

# Student code must not see the secret, nor the sources, which contain solutions. The folder's name
# is random, so that the file cannot name the secret in an #include.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/submission"
mv "$here/secret" "$work/secret"
if [ -L "$file" ] || [ ! -f "$file" ]; then
	echo "there is no $file"
	exit 1
fi
cp "$file" "$work/submission/$file"
rm -rf "$here" autograde.tar
cd "$work/submission" || exit 1
flashtwin lab grade "$lab" "$file" --secret "$work/secret" ${STUDENT:+--student "$STUDENT"} \
	--format autolab -o "$work/result"
code=$?
# 0 and 1 are results.
[ "$code" -le 1 ] || exit "$code"
cat "$work/result"
