// The programs `kinecast record` that pages have asked for. The newest one is followed until its take is shown, so that a
// page learns why none began.
import Glibc
import KinePlatform
import KineText
import SystemPackage

/// Used on one thread.
final class Recorders: PollSource {
    private let studio: Studio
    private let launcher: ProgramLauncher
    private let kinecast: String?
    /// The launcher's numbers of the programs that run.
    private var running: Set<Int> = []
    /// The programs that have ended since the last `conclude`.
    private var ended: [ProgramLauncher.Ended] = []
    /// The recording that was asked for, until its take is shown.
    private var start: RecordingStart?
    /// The files from which the starting recording reads its settings.
    private var settings: TakeSettings?
    /// What begins once the windows have left the screen, or at the deadline, in nanoseconds of CLOCK_MONOTONIC.
    private var held: (arguments: [String], variables: [String], settings: TakeSettings, deadline: Int64)?
    /// The ids of the takes that pages have begun.
    private var own: Set<String> = []
    /// The ids of the takes whose engine has answered. While a recording starts, the ids of takes that have ended stay here.
    private var followed: Set<String> = []

    /// - Parameter kinecast: the path of `kinecast`; nil: it is not there.
    init(_ studio: Studio, _ launcher: ProgramLauncher, kinecast: String?) {
        (self.studio, self.launcher, self.kinecast) = (studio, launcher, kinecast)
    }

    var pollEntries: [pollfd] { launcher.pollEntries }

    var nextDeadline: Int64? { held?.deadline }

    var count: Int { running.count + (held == nil ? 0 : 1) }

    /// - Parameters:
    ///   - arguments: of `kinecast`.
    ///   - variables: `NAME=value` strings.
    ///   - settings: removed when the program has read them.
    func begin(_ arguments: [String], _ variables: [String], _ settings: TakeSettings) {
        self.settings = settings
        guard let number = launch(arguments, variables) else { return endStart() }
        running.insert(number)
        start = RecordingStart(number)
    }

    /// As `begin`, once the windows have left the screen.
    func hold(_ arguments: [String], _ variables: [String], _ settings: TakeSettings, until deadline: Int64) {
        held = (arguments, variables, settings, deadline)
    }

    /// Begins what is held, or drops it.
    func release(_ departure: StudioWindows.Departure, at now: Int64) {
        guard let held, departure != .awaited || now >= held.deadline else { return }
        if departure == .closed { return cancel() }
        self.held = nil
        begin(held.arguments, held.variables, held.settings)
    }

    /// Starts a tray that ends with the take, unless one runs: where nothing shows it, it ends by itself.
    func startTray() {
        guard let own = ExecutableSearch.own else { return }
        let tray = FilePath(escaped: own).removingLastComponent().appending("kinecast-tray").escaped
        if access(tray.cString, X_OK) == 0 { _ = launcher.start(tray, ["--with-take"]) }
    }

    /// Ends the start of a recording, such as its countdown.
    func cancel() {
        if let held {
            self.held = nil
            held.settings.remove()
            studio.endStart()
        }
        if let number = start?.program, start?.cancel() == true { launcher.end(number) }
    }

    /// Reads what the programs have written. Call it before the engines' messages are read: what an engine said before its
    /// program ended is then known in `conclude`.
    func read() {
        for (number, line) in launcher.readLines() { hear(line, from: number) }
        ended = launcher.reap()
        for program in ended { program.lines.forEach { hear($0, from: program.number) } }
    }

    /// Whether a page has begun that take.
    func isOwn(_ take: String) -> Bool { own.contains(take) || start?.take == take }

    /// Call it when the engines' messages have been read.
    ///
    /// - Parameter answered: the ids of the takes whose engine has answered, also of those that have just ended.
    func follow(_ answered: Set<String>) {
        followed = start == nil ? answered : followed.union(answered)
        if start?.ending(followed, exit: nil) == .begun { endStart() }
    }

    /// Reports why no take began. The end of one that did is reported by its engine. Returns whether none began.
    func conclude() -> Bool {
        var hasNone = false
        for program in ended {
            running.remove(program.number)
            guard program.number == start?.program else { continue }
            let ending = start?.ending(followed, exit: program.ending)
            if ending == .failed {
                studio.add(TakeNotice(kind: .failed, text: Self.problem(in: program.stderr ?? ""), start?.code))
            }
            hasNone = ending != .begun
            endStart()
        }
        ended = []
        return hasNone
    }

    /// Returns the program's number; nil after a notice.
    private func launch(_ arguments: [String], _ variables: [String]) -> Int? {
        let problem: String
        if let kinecast {
            if let number = launcher.start(kinecast, arguments, variables, isHeard: true) { return number }
            problem = "kinecast \(arguments[0]) could not be started; try it in a terminal."
        } else {
            problem = "There is no kinecast beside kinecast-studio; install Kinecast completely."
        }
        studio.add(TakeNotice(kind: .failed, text: problem))
        return nil
    }

    private func hear(_ line: String, from number: Int) { if number == start?.program { start?.read(line) } }

    /// The program has read its settings.
    private func endStart() {
        settings?.remove()
        if let take = start?.take { own.insert(take) }
        (start, settings) = (nil, nil)
        studio.endStart()
    }

    /// The sentence of an error among what `kinecast` wrote to standard error.
    static func problem(in text: String) -> String {
        for line in text.split(whereSeparator: \.isNewline) {
            for beginning in ["kinecast: ", "Error: "] where line.hasPrefix(beginning) {
                return String(line.dropFirst(beginning.count))
            }
        }
        return MemoryLog.stderrTail(in: text) ?? "kinecast ended without a reason; try the same in a terminal."
    }
}
