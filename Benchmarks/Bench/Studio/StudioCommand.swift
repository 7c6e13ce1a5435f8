// The studio's page and its server: how soon a window shows something, and what the server costs beside it.
import ArgumentParser
import KineMeasure

struct StudioCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "studio", abstract: "Measures the studio's page in Chromium, and its server.",
        discussion: """
            kinecast-studio on a private X server of 1920×1080, with its page in Chromium without a window. Each round has its own server \
            and browser. First paint is the browser's own account (Performance API) of a navigation, in a browser that has opened the page \
            before. Wakes are the voluntary context switches of all threads.
            """)

    @Option(help: "Seconds over which CPU and wakes are counted in each situation.")
    var seconds = 10.0

    @Option(help: "Rounds.")
    var runs = 3

    @Option(help: "Windows that are opened, and pauses, in each round.")
    var samples = 5

    @Option(help: "The length of the long recording that is opened.")
    var hours = 10

    /// Seconds from a change until the counting begins.
    private static let settling = 3.0
    /// Seconds after which the server has ended the survey that no page asks for any more.
    private static let surveyEnd = 17.0

    func validate() throws {
        try check(runs: runs, seconds: seconds)
        guard samples > 0 else { throw ValidationError("--samples must be at least 1.") }
        guard hours > 0 else { throw ValidationError("--hours must be at least 1.") }
    }

    private enum Situation: String, CaseIterable {
        case page = "the page, and nothing else"
        case hidden = "the page, hidden"
        case take = "a take of 1920×1080 at 30 frames a second with its picture, and three live pages"
        case windows = "twenty windows, three changing twice a second"
    }

    private struct Round {
        var paints: [Double] = []
        var connections: [Double] = []
        var pauses: [Double] = []
        /// Until a long recording's first frame is shown, and its strip.
        var frames: [Double] = []
        var strips: [Double] = []
        /// Frames that a take lost while the long recording was opened beside it.
        var lost = 0
        /// The server, and the engine that makes pictures where one runs.
        var uses: [Situation: [ProcessUse]] = [:]
        /// Bytes, with the long recording.
        var peak = 0
    }

    func run() throws {
        var rounds: [Round] = []
        for number in 1...runs {
            say("studio, round \(number) of \(runs)")
            rounds.append(try measure())
        }
        print(Machine.description(["chromium", "xvfb"]))
        print("\n" + times(rounds) + "\n\n" + costs(rounds))
        print("\n" + Tables.verdicts(verdicts(rounds)))
    }

    private func measure() throws -> Round {
        let desktop = try StudioDesktop()
        defer { desktop.end() }
        var round = Round()
        try desktop.openWindow()
        for _ in 0..<samples {
            let times = try desktop.timeWindow()
            round.paints.append(times.paint)
            round.connections.append(times.connected)
        }
        func watch(_ situation: Situation, settling: Double = Self.settling) {
            FrameRhythm.sleep(until: deadline(in: settling))
            let processes = [desktop.server] + [desktop.survey].compactMap(\.self)
            round.uses[situation] = ProcessUse.watch(processes, seconds: seconds)
        }
        watch(.page)
        let page = try desktop.browser.openTab()
        watch(.hidden, settling: Self.surveyEnd)
        try desktop.browser.closeTab()
        try desktop.browser.selectTab(page)
        try desktop.recording(livePages: 3) {
            for _ in 0..<samples {
                round.pauses.append(try desktop.timePause(isOn: true))
                round.pauses.append(try desktop.timePause(isOn: false))
            }
            watch(.take, settling: Self.surveyEnd)
        }
        try desktop.showWindows(20, changing: 3)
        watch(.windows)
        for times in try desktop.timeRecording(hours: hours) {
            round.frames.append(times.frame)
            round.strips.append(times.strip)
        }
        round.lost = try desktop.recording(livePages: 0) { _ = try desktop.timeRecording(hours: hours) }
        round.peak = ProcFiles.highWaterBytes(of: desktop.server)
        return round
    }

    private func cell(_ values: [Double], _ digits: Int) -> String {
        values.isEmpty ? "–" : "\(fixed(median(values), digits)) (\(spread(values, digits)))"
    }

    private func times(_ rounds: [Round]) -> String {
        let rows = [
            ("from the navigation to the first paint", rounds.flatMap(\.paints)),
            ("from the navigation to the connected page", rounds.flatMap(\.connections)),
            ("from a pause's request to the page's new state", rounds.flatMap(\.pauses)),
            ("from the navigation to the first frame of a recording of \(hours) hours", rounds.flatMap(\.frames)),
            ("from the navigation to its strip of pictures", rounds.flatMap(\.strips)),
        ]
        return Tables.table(
            "time | >times | >ms, median (range)", rows.map { [$0.0, "\($0.1.count)", cell($0.1, 0)] })
    }

    private func costs(_ rounds: [Round]) -> String {
        let rows = Situation.allCases.map { situation in
            let servers = rounds.compactMap { $0.uses[situation]?.first }
            let surveys = rounds.compactMap { $0.uses[situation]?.dropFirst().first }
            return [
                situation.rawValue, cell(servers.map(\.percentOfCore), 2), cell(surveys.map(\.percentOfCore), 2),
                cell(servers.map(\.wakesPerSecond), 1), cell(servers.map { Double($0.resident) / 1_048_576 }, 1),
            ]
        }
        return Tables.table(
            "shown | >server CPU % of a core | >pictures' engine CPU % | >server wakes a second | >server resident MiB",
            rows)
    }

    /// The most of all rounds is held against each bar.
    private func verdicts(_ rounds: [Round]) -> [Verdict] {
        func verdict(_ promise: String, _ values: [Double], _ bar: Double, _ digits: Int, _ unit: String) -> Verdict {
            let most = values.max() ?? .nan
            return Verdict("\(promise) ≤ \(fixed(bar, 0))\(unit)", "\(fixed(most, digits))\(unit)", most <= bar)
        }
        /// The sum of all processes.
        func sums(_ situation: Situation, _ value: (ProcessUse) -> Double) -> [Double] {
            rounds.map { ($0.uses[situation] ?? []).map(value).reduce(0, +) }
        }
        func server(_ situation: Situation) -> [Double] {
            rounds.compactMap { $0.uses[situation]?.first?.percentOfCore }
        }
        let lost = rounds.map(\.lost).reduce(0, +)
        return [
            verdict("first paint", rounds.flatMap(\.paints), 500, 0, " ms"),
            verdict("an event in the page", rounds.flatMap(\.pauses), 200, 0, " ms"),
            verdict("first frame of \(hours) hours", rounds.flatMap(\.frames), 1000, 0, " ms"),
            verdict("server with an idle page", server(.page), 5, 2, " %"),
            verdict("server beside a take with three services, its picture shown", server(.take), 5, 2, " %"),
            verdict("server and pictures of twenty windows", sums(.windows, \.percentOfCore), 3, 2, " %"),
            verdict("server's wakes a second, page hidden", sums(.hidden, \.wakesPerSecond), 2, 2, ""),
            Verdict("\(hours) hours opened beside a take lose none of its frames", "\(lost)", lost == 0),
            .memory("server's peak memory", rounds.map(\.peak).max() ?? 0, limit: 40),
        ]
    }
}
