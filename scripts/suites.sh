# Runs suites of tests, each in a process of its own and one test after another, several suites at a time; sourced by scripts/test
# and scripts/sanitize. So a test has its process to itself, and never waits for a thread that another one holds.

# suites BINARY OPTION…: the suites of a test binary, or those that `--filter` and `--skip` select, with a regular expression or a
# tag:NAME of Tests/Support/CoreTesting/Tags.swift. What takes longest comes first, or a single suite would run at the end: building,
# then what takes more than 40 seconds, then playing and waiting.
suites() {
    local binary=$1
    shift
    "$binary" --testing-library swift-testing --list-suites "$@" |
        awk '{ print (/ builds/ ? 0 : / long/ ? 1 : / real/ ? 2 : 3) "\t" $1 }' | sort -s -n -k 1,1 | cut -f 2
}

# run_suites BINARY OPTION…: runs those suites of a test binary that standard input names, one to a line, without the tests that
# `--skip` names. Says how each went and how long it took and how much of that it computed, and what a failed one said. Fails where
# one failed.
run_suites() {
    tr '\n' '\0' | xargs -0 -P $((3 * $(nproc))) -I '{}' bash -c 'source scripts/suites.sh && run_suite "$@"' - '{}' "$@"
}

# run_suite SUITE BINARY OPTION…: with a directory of its own for temporary files and the registry of takes, which goes with all that
# is in it, even where tests are killed.
run_suite() {
    local suite=$1 binary=$2 log directory begun=$SECONDS status=0 pattern
    shift 2
    log=$(mktemp)
    directory=$(mktemp -d)
    # Some tests run processes of other users, which have to reach what is theirs.
    chmod 711 "$directory"
    mkdir -m 700 "$directory/runtime"
    # A test that is in no suite is its own; its name ends in parentheses.
    pattern=$(sed 's/[().]/\\&/g' <<<"$suite")
    # A suite that hangs must not keep a machine for ever: far longer than any takes.
    TMPDIR=$directory XDG_RUNTIME_DIR=$directory/runtime SWIFT_BACKTRACE=enable=yes,interactive=no,color=no \
        timeout --kill-after=10 1800 "$binary" --testing-library swift-testing --no-parallel --filter "^$pattern(/|\$)" "$@" \
        >"$log" 2>&1 || status=$?
    local count computed
    # In this process and its children: a test that computes keeps the others waiting.
    times >"$directory/times"
    computed=$(sed -n '2s/[ms]/ /gp' "$directory/times" | awk '{ print int($1 * 60 + $2 + $3 * 60 + $4 + 0.5) }')
    count=$(sed -n 's/.*Test run with \([0-9]*\) test.*/\1/p' "$log" | tail -1)
    if ((status == 0 && ${count:-0} > 0)); then
        printf '%4d s, %3d s computing  %s (%d tests)\n' $((SECONDS - begun)) "$computed" "$suite" "$count"
    else
        printf '%s\n%4d s  %s FAILED with status %d, as shown above.\n' "$(<"$log")" $((SECONDS - begun)) "$suite" "$status" >&2
    fi
    rm -rf "$log" "$directory"
    ((status == 0 && ${count:-0} > 0))
}
