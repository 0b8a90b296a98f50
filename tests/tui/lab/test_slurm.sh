#!/bin/sh
# test_slurm.sh - labs/slurm/grade.sh on a real Slurm of two nodes, one of which is killed, on this
# machine: from Debian's packages slurmctld, slurmd and munge, without systemd. Without these only
# its dry run is tested.
. "${abs_srcdir:-$(dirname "$0")/../../..}/tests/tap.sh"
. "$srcdir/tests/tui/lab/small_lab.sh"

grade=$srcdir/labs/slurm/grade.sh
FLASHTWIN=$flashtwin
export FLASHTWIN
small_lab labs
echo sesame >secret
for i in 01 02 03 04 05 06 07 08 09 10; do
	mkdir -p "class/s$i"
	cp good.cu "class/s$i/student.cu"
done

# submit ARG...: runs grade.sh as `run` does flashtwin.
submit() {
	"$grade" "$@" >out 2>err
	code=$?
}

submit
expect 'usage' 2 '^usage: grade.sh'
submit 7 nowhere results 4
expect 'submissions that are not there' 2 'nowhere is not a folder'
submit --dry-run 7 class results 4 --labs labs
expect 'a dry run shows both jobs' 0 \
	'sbatch --parsable --array=1-4 .*--task 7 class results 4 2 --labs labs$' \
	'sbatch --parsable --dependency=afterany:ARRAY .*--table 7 class results 4 2 --labs labs$'
result 'and makes nothing' "$([ ! -e results ] || echo results)"
SLURM_ARRAY_TASK_ID=1 submit --task 7 class task 5 1 --labs labs --secret secret --sandbox=no
expect 'a task grades its share' 0 'passed'
result 'and nothing else' "$(ls task | grep -c json | grep -x 10; ls task | grep csv)"

# --- a real one ---

missing=
for program in munged slurmctld slurmd sbatch squeue; do
	command -v "$program" >/dev/null || missing="$missing $program"
done
[ "$(id -u)" -eq 0 ] || missing="$missing root"
if [ -n "$missing" ]; then
	echo "# WARNING: labs/slurm is tested by its dry run only; missing:$missing" >&2
	skip 'a class on a real Slurm' "missing:$missing"
	plan
	exit 0
fi

host=$(hostname)
slurm=$work/slurm
mkdir -p "$slurm/run" "$slurm/state" "$slurm/spool/n1" "$slurm/spool/n2" "$slurm/log"
chmod 755 "$work" "$slurm" "$slurm"/*
head -c 1024 /dev/urandom >"$slurm/run/munge.key"
chmod 600 "$slurm/run/munge.key"
port=$((20000 + $$ % 20000))
cat >"$slurm/slurm.conf" <<END
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$slurm/run/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool/%n
SlurmctldPidFile=$slurm/run/slurmctld.pid
SlurmdPidFile=$slurm/run/slurmd-%n.pid
SlurmctldLogFile=$slurm/log/slurmctld.log
SlurmdLogFile=$slurm/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=2
ReturnToService=2
SlurmdTimeout=6
SlurmctldTimeout=10
InactiveLimit=0
KillWait=2
MinJobAge=600
JobRequeue=1
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=2 CoresPerSocket=2 RealMemory=500 State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=2 CoresPerSocket=2 RealMemory=500 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
BatchStartTimeout=2
MessageTimeout=5
END
SLURM_CONF=$slurm/slurm.conf
export SLURM_CONF

# tree PID: the process and all that descend from it.
tree() {
	local child
	for child in $(cat "/proc/$1/task/"*/children 2>/dev/null); do
		tree "$child"
	done
	echo "$1"
}
# steps: the processes that run jobs, of both nodes. They are not children of slurmd. Their
# environment shows that they are this test's.
steps() {
	local pid
	for pid in $(pgrep -x slurmstepd); do
		cat "/proc/$pid/environ" 2>/dev/null | tr '\0' '\n' |
			grep -qx "SLURM_CONF=$SLURM_CONF" &&
			[ "$(readlink "/proc/$pid/cwd")" = "$slurm/log" ] && tree "$pid"
	done
}
# The node n1, and what runs on n2.
kill_node() {
	kill -KILL $(cat "$slurm/run/slurmd-n1.pid") $(steps) 2>/dev/null
}
end_slurm() {
	for name in slurmd-n1 slurmd-n2 slurmctld munged; do
		[ ! -s "$slurm/run/$name.pid" ] || kill -KILL "$(cat "$slurm/run/$name.pid")" 2>/dev/null
	done
	for pid in $(steps); do
		kill -KILL "$pid" 2>/dev/null
	done
}
trap 'end_slurm; rm -rf "$work"' EXIT
munged --force --key-file="$slurm/run/munge.key" --socket="$slurm/run/munge.socket" \
	--pid-file="$slurm/run/munged.pid" --log-file="$slurm/log/munged.log" \
	--seed-file="$slurm/run/munge.seed" >start 2>&1 &&
	slurmctld -f "$SLURM_CONF" >>start 2>&1 && slurmd -f "$SLURM_CONF" -N n1 >>start 2>&1 &&
	slurmd -f "$SLURM_CONF" -N n2 >>start 2>&1
code=$?
ready() { [ "$(sinfo -h -N -t idle 2>/dev/null | wc -l)" -eq 2 ]; }
if [ "$code" -ne 0 ] || ! until_true ready; then
	echo '# WARNING: labs/slurm is tested by its dry run only: Slurm does not start here' >&2
	skip 'a class on a real Slurm' "it does not start: $(tail -n 1 start)"
	plan
	exit 0
fi

records() { ls results 2>/dev/null | grep -c '\.json$'; }
some() { [ "$(records)" -ge 2 ]; }
finished() { [ -z "$(squeue -h)" ]; }
CPUS=1 submit 7 "$work/class" "$work/results" 4 --labs "$work/labs" --secret "$work/secret"
expect 'an array and a table are submitted' 0 '^[0-9]'
until_true some
kill_node
ls -l --time-style=full-iso results | grep 'json$' >before
result 'a node is killed in the middle' "$([ "$(records)" -lt 10 ] || echo "$(records) records")"
slurmd -f "$SLURM_CONF" -N n1 >>start 2>&1
until_true finished || squeue
ls -l --time-style=full-iso results | grep 'json$' >after
result 'no submission is lost' "$(grep -c ',100,100,passed,' results/grades.csv | grep -vx 10
	tail -n 5 results/logs/*.log "$slurm"/log/*ctld.log | sed -n '/Error\|error/p')"
result 'none is graded twice' "$(grep -vxFf after before
	cat results/logs/*.log | grep -o 's[0-9]*: passed' | sort | uniq -d)"
plan
