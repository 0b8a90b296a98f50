#!/bin/sh
# grade.sh - grades a class as an array job of Slurm, then makes the table.
#
# Each task grades one share of the class, and what a task that was killed had not finished is
# graded when Slurm starts it again, or by the job that makes the table. To go on after anything else, such
# as a controller that lost the job, run this again: what has a result stays as it is.
#
#SBATCH --job-name=flashtwin-lab
#SBATCH --requeue
#SBATCH --open-mode=append
set -u
usage() {
	cat >&2 <<'END'
usage: grade.sh [--dry-run] LAB SUBMISSIONS OUT TASKS [OPTION of lab grade...]
SUBMISSIONS and OUT are folders that all nodes share; logs go to OUT/logs.
--dry-run prints what would be submitted. Slurm's options are taken from the environment:
SBATCH_PARTITION, SBATCH_TIMELIMIT... FLASHTWIN names the program, CPUS the cores of a task (2).
END
	exit 2
}

# In a job: a failed submission is a success of the job. Other errors are not.
if [ "${1-}" = --task ] || [ "${1-}" = --table ]; then
	mode=$1
	shift
	lab=$1 submissions=$2 out=$3 tasks=$4 cpus=$5
	shift 5
	share=
	[ "$mode" = --table ] || share="--share $SLURM_ARRAY_TASK_ID/$tasks"
	"${FLASHTWIN:-flashtwin}" lab grade "$lab" --submissions "$submissions" -o "$out" $share \
		--jobs "$cpus" "$@"
	code=$?
	[ "$code" -ne 1 ] || code=0
	exit "$code"
fi

submit=sbatch
if [ "${1-}" = --dry-run ]; then
	submit="echo sbatch"
	shift
fi
[ $# -ge 4 ] || usage
lab=$1 submissions=$2 out=$3 tasks=$4 cpus=${CPUS:-2}
shift 4
case $tasks in
''|*[!0-9]*|0*) usage ;;
esac
if [ ! -d "$submissions" ]; then
	echo "grade.sh: $submissions is not a folder" >&2
	exit 2
fi
if [ "$submit" = sbatch ]; then
	mkdir -p "$out/logs" || exit 2
fi
array=$($submit --parsable --array="1-$tasks" --cpus-per-task="$cpus" \
	--output="$out/logs/%a.log" "$0" --task "$lab" "$submissions" "$out" "$tasks" "$cpus" "$@") ||
	exit 2
if [ "$submit" != sbatch ]; then
	echo "$array"
	array=ARRAY
fi
$submit --parsable --dependency="afterany:${array%%;*}" --cpus-per-task="$cpus" \
	--output="$out/logs/table.log" "$0" --table "$lab" "$submissions" "$out" "$tasks" "$cpus" "$@" ||
	exit 2
