#!/bin/sh
# Plays Slurm's commands, by the name that it is called by, with processes of this machine and no daemon, for failures that a
# real one has seldom. FAKE is its folder:
#   calls            every call
#   COMMAND.fails    a call takes a line off it, says that and fails; behind "late:" it fails after it has done its work
#   plan.N           what becomes of task N: lost, down, held, paused, waits, mute, vanishes, storm, unseen; else it runs
#   state.N, pid.N   STATE|NODE|REASON of a task, and the process that it is; done.N: nothing more becomes of it
me=$(basename "$0")
echo "$me $*" >>"$FAKE/calls"

late=
if [ -s "$FAKE/$me.fails" ]; then
    said=$(head -n 1 "$FAKE/$me.fails")
    sed -i 1d "$FAKE/$me.fails"
    case $said in
    late:*) late=${said#late:} ;;
    *)
        echo "$me: error: $said" >&2
        exit 1
        ;;
    esac
fi

# state N STATE NODE REASON: in one step
state() {
    printf '%s|%s|%s\n' "$2" "$3" "$4" >"$FAKE/new.$1.$$"
    mv "$FAKE/new.$1.$$" "$FAKE/state.$1"
}

# start N: its process, in a session of its own; one that is unseen is through before the queue knows that it runs
start() {
    [ "$(cat "$FAKE/plan.$1" 2>/dev/null)" = unseen ] || state "$1" RUNNING n1 None
    SLURM_ARRAY_TASK_ID=$1 setsid sh "$script" &
    echo $! >"$FAKE/pid.$1"
    wait $!
}

task() {
    case $(cat "$FAKE/plan.$1" 2>/dev/null) in
    lost) return ;;
    down) state "$1" NODE_FAIL n2 None; return ;;
    held) state "$1" PENDING '' '(launch failed requeued held)'; return ;;
    paused) state "$1" PENDING '' JobHeldUser; return ;;
    waits) return ;;
    mute) state "$1" RUNNING n3 None; return ;;
    vanishes) start "$1"; rm "$FAKE/state.$1"; return ;;
    storm)
        for _ in 1 2 3; do
            (sleep 0.1; kill "$(cat "$FAKE/pid.$1")") &
            start "$1"
            state "$1" PENDING '' BeginTime
        done
        ;;
    esac
    if start "$1"; then state "$1" COMPLETED n1 None; else state "$1" FAILED n1 NonZeroExitCode; fi
}

# N of ID_N, or all
chosen() {
    for id; do :; done
    case $id in
    *_*) echo "${id#*_}" ;;
    *) ls "$FAKE" | sed -n 's/^state\.//p' ;;
    esac
}

case $me in
sbatch)
    for script; do
        case $script in
        --array=*) size=${script#*-*-*-} size=${size%\%*} ;;
        --job-name=*) echo "${script#*=}" >"$FAKE/name" ;;
        esac
    done
    for n in $(seq "$size"); do
        state "$n" PENDING '' None
        [ "$(cat "$FAKE/plan.$n" 2>/dev/null)" != lost ] || rm "$FAKE/state.$n"
        (exec </dev/null >/dev/null 2>&1; task "$n"; : >"$FAKE/done.$n") &
    done
    [ -n "$late" ] || echo '77;east'
    ;;
squeue)
    case "$*" in
    *--name="$(cat "$FAKE/name" 2>/dev/null || echo none)"*) echo 77 ;;
    *--name=*) ;;
    *) for n in $(chosen all); do echo "$n|$(cat "$FAKE/state.$n")"; done ;;
    esac
    ;;
scancel)
    for n in $(chosen "$@"); do
        now=$(cut -d'|' -f1 "$FAKE/state.$n")
        case "$* $now" in
        *COMPLETED | *FAILED | *--state=PENDING*RUNNING) continue ;;
        esac
        [ ! -e "$FAKE/pid.$n" ] || kill -- "-$(cat "$FAKE/pid.$n")" 2>/dev/null
        state "$n" CANCELLED n1 None
    done
    ;;
sacct)
    [ -e "$FAKE/accounts" ] || { echo 'Slurm accounting storage is disabled' >&2; exit 1; }
    cat "$FAKE/accounts"
    ;;
scontrol) echo 'MaxArraySize            = 4' ;;
esac
[ -z "$late" ] || { echo "$me: error: $late" >&2; exit 1; }
