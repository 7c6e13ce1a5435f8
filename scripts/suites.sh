# Runs suites of tests in several processes at a time, sourced by scripts/test and scripts/sanitize. Each process runs one test after
# another, so that tests do not wait for each other's threads.

# suites BINARY OPTION…: the suites of a test binary, or those that `--filter` and `--skip` select, with a regular expression or a
# tag:NAME of Tests/Support/CoreTesting/Tags.swift. The suites of a line share a process, since starting one takes 0.3 s of processor
# time. What takes longest comes first, or a single suite would run at the end: building, then what takes more than 40 seconds, both
# alone, then what computes, then lines that play and wait, then shorter ones. Suites of a line are of one target.
suites() {
    local binary=$1
    shift
    "$binary" --testing-library swift-testing --list-suites "$@" |
        awk '
            function add(rank, size, target, suite,   key) {
                key = rank "\t" target
                lines[key] = lines[key] " " suite
                if (++count[key] % size == 0) flush(key)
            }
            function flush(key) {
                if (lines[key]) print substr(key, 1, 1) "\t" substr(lines[key], 2)
                lines[key] = ""
            }
            { target = $1; sub(/\..*/, "", target) }
            / builds| long/ { print (/ builds/ ? 0 : 1) "\t" $1; next }
            / real/ && target == "EndToEndTests" { add(4, 2, target, $1); next }
            / real/ { add(3, 6, target, $1); next }
            { add(2, 12, target, $1) }
            END { for (key in lines) flush(key) }' | sort -s -n -k 1,1 | cut -f 2
}

# run_suites BINARY TAG…: runs those suites of a test binary that standard input names, as `suites` does, without the tests that have one of
# these tags. Says how each line went and how long it took and how much of that it computed, and what a failed one said. Fails where one
# failed.
run_suites() {
    local binary=$1
    shift
    # Selecting by a tag lists all tests, which takes as long as a start again: only for suites that have tests to leave out.
    skipping=" $("$binary" --testing-library swift-testing --list-suites "${@/#/--filter=tag:}" | cut -d ' ' -f 1 | paste -s -d ' ') "
    export skipping
    tr '\n' '\0' | xargs -0 -P $((3 * $(nproc))) -I '{}' bash -c 'source scripts/suites.sh && run_suite "$@"' - '{}' "$binary" "$@"
}

# run_suite SUITES BINARY TAG…: with a directory of its own for temporary files and the registry of takes, which goes with all that is in it,
# even where tests are killed.
run_suite() {
    local suite=$1 binary=$2 log directory begun=$SECONDS status=0 pattern name options=()
    shift 2
    for name in $suite; do
        [[ $skipping != *" $name "* ]] || options=("${@/#/--skip=tag:}")
    done
    log=$(mktemp)
    directory=$(mktemp -d)
    # Some tests run processes of other users, which have to reach what is theirs.
    chmod 711 "$directory"
    mkdir -m 700 "$directory/runtime"
    # A test that is in no suite is its own; its name ends in parentheses.
    pattern=$(sed 's/[().]/\\&/g; s/ /|/g' <<<"$suite")
    # All of a line are of one target.
    if [[ $suite == *' '*' '* ]]; then suite="${suite%%.*}: $(wc -w <<<"$suite") suites"; fi
    # A suite that hangs must not keep a machine for ever: far longer than any takes.
    TMPDIR=$directory XDG_RUNTIME_DIR=$directory/runtime SWIFT_BACKTRACE=enable=yes,interactive=no,color=no \
        timeout --kill-after=10 1800 "$binary" --testing-library swift-testing --no-parallel --filter "^($pattern)(/|\$)" "${options[@]}" \
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
