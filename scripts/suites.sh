# Runs suites of tests, each that is not of unit tests in a process of its own, one test after another, several processes at a time;
# sourced by scripts/test and scripts/sanitize. So a test never waits for a thread that another one holds.

# suites BINARY OPTION…: the suites of a test binary, or those that `--filter` and `--skip` select, with a regular expression or a
# tag:NAME of Tests/Support/CoreTesting/Tags.swift. A line has one, or up to twelve of a target's unit tests: most of these take less
# time than the start of a process. What takes longest comes first, or a single suite would run at the end: building, then what takes
# more than 40 seconds, then computing, then playing and waiting.
suites() {
    local binary=$1
    shift
    "$binary" --testing-library swift-testing --list-suites "$@" |
        awk '
            function flush(target) { if (units[target]) print "2\t" substr(units[target], 2); units[target] = "" }
            / builds| long| real/ { print (/ builds/ ? 0 : / long/ ? 1 : 3) "\t" $1; next }
            {
                target = $1
                sub(/\..*/, "", target)
                units[target] = units[target] " " $1
                if (++count[target] % 12 == 0) flush(target)
            }
            END { for (target in units) flush(target) }' | sort -s -n -k 1,1 | cut -f 2
}

# run_suites BINARY OPTION…: runs those suites of a test binary that standard input names, as `suites` does, without the tests that
# `--skip` names. Says how each went and how long it took and how much of that it computed, and what a failed one said. Fails where
# one failed.
run_suites() {
    tr '\n' '\0' | xargs -0 -P $((3 * $(nproc))) -I '{}' bash -c 'source scripts/suites.sh && run_suite "$@"' - '{}' "$@"
}

# run_suite SUITES BINARY OPTION…: with a directory of its own for temporary files and the registry of takes, which goes with all that
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
    pattern=$(sed 's/[().]/\\&/g; s/ /|/g' <<<"$suite")
    # All of a line are of one target.
    if [[ $suite == *' '* ]]; then suite="${suite%%.*}: $(wc -w <<<"$suite") suites"; fi
    # A suite that hangs must not keep a machine for ever: far longer than any takes.
    TMPDIR=$directory XDG_RUNTIME_DIR=$directory/runtime SWIFT_BACKTRACE=enable=yes,interactive=no,color=no \
        timeout --kill-after=10 1800 "$binary" --testing-library swift-testing --no-parallel --filter "^($pattern)(/|\$)" "$@" \
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
