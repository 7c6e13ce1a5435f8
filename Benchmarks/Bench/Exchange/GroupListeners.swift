// Processes of one group that wait for what another one tells, and the instants at which each knew.
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage

/// One run: so many listeners, and what they heard.
struct ListeningRun {
    let medium: ExchangeMedium
    let listeners: Int
    let events: Int
    var hearing: Hearing
    /// Milliseconds on a processor, and context switches, of one listener for one event.
    var cost: Double
    var switches: Double

    /// Milliseconds that `share` of the answers did not exceed.
    func delay(_ share: Double) -> Double {
        var report = TransferReport()
        report.delays = hearing.delays
        return report.delayMilliseconds(share, warmup: 0)
    }

    /// - Parameter interval: milliseconds between two events.
    static func run(_ medium: ExchangeMedium, listeners: Int, events: Int, interval: Int) throws -> ListeningRun {
        // On a disk, as a user's directory is.
        let folder = try TemporaryDirectory()
        func start(_ verb: String, _ words: [String], _ output: String) throws -> GroupMemberProcess {
            try GroupMemberProcess([verb, "org.kinecast.bench", "value"] + words, in: folder, output: output)
        }
        let members = try (0..<listeners).map { try start(medium.listening, ["later"], "listener-\($0)") }
        for member in members { try member.waitUntilReady() }
        let before = members.map(\.load)
        let teller = try start(medium.telling, ["\(events)", "\(interval)"], "teller")
        try teller.waitForEnd(deadline: deadline(in: Double(events * interval) / 1000 + 60))
        // An event that is not known after a second is missing.
        _ = WakeSignal.poll([], until: deadline(in: 1))
        let after = members.map(\.load)
        for member in members { try member.finish() }
        let instants = medium.events(in: teller.output)
        guard instants.count == events else {
            throw GroupMemberProcess.Failed(words: medium.telling, output: teller.output)
        }
        let reactions = Double(listeners * events)
        func increase(_ value: (GroupMemberProcess.Load) -> Double) -> Double {
            zip(before, after).map { value($1) - value($0) }.reduce(0, +) / reactions
        }
        return ListeningRun(
            medium: medium, listeners: listeners, events: events,
            hearing: Hearing(joining: members.map { Hearing(of: instants, medium.answers(in: $0.output)) }),
            cost: increase { Double($0.processorNanoseconds) / 1e6 }, switches: increase { Double($0.switches) })
    }
}

/// A running kinecast-member, which is killed with this object. It prints into a file, listeners not before `finish`: reading and
/// writing would cost processor time while delays are measured.
final class GroupMemberProcess {
    struct Failed: Error, CustomStringConvertible {
        let words: String
        let output: String

        var description: String {
            "kinecast-member \(words) said “\(output.suffix(300))”; see fs.inotify.max_user_instances; each listener "
                + "needs one."
        }
    }

    struct Load {
        var processorNanoseconds: Int64
        var switches: Int
    }

    private let process: ChildProcess
    private let words: String
    private let path: String
    /// The other end of its standard input.
    private var input: FileDescriptor?

    /// - Parameters:
    ///   - folder: the user's data directory for this process, and the place of its output.
    ///   - output: the file's name.
    init(_ arguments: [String], in folder: TemporaryDirectory, output: String) throws {
        words = arguments.joined(separator: " ")
        path = try folder.write([], to: output)
        let file = try FileDescriptor.open(FilePath(path), .writeOnly, options: .append)
        defer { try? file.close() }
        var options = ChildProcess.Options()
        let pipe = try FileDescriptor.pipe()
        input = pipe.writeEnd
        defer { try? pipe.readEnd.close() }
        options.descriptors = [pipe.readEnd, file, .standardError]
        options.parentDeathSignal = SIGKILL
        process = try ChildProcess(
            executable: try Tool.sibling("kinecast-member"), arguments: arguments,
            environment: ProcessEnvironment.secluded(in: folder) + ["XDG_DATA_HOME=\(folder.path)"], options: options)
    }

    deinit {
        try? input?.close()
        _ = process.end(signal: SIGKILL, deadline: MonotonicClock.now())
    }

    /// All that it has printed.
    var output: String { ProcFiles.read(path) }

    var load: Load {
        Load(
            processorNanoseconds: ProcFiles.processorNanoseconds(of: process.pid) ?? 0,
            switches: ProcFiles.switches(of: process.pid).values.reduce(0, +))
    }

    /// Returns when it listens.
    func waitUntilReady() throws {
        let end = deadline(in: 30)
        while !output.contains("ready\n") {
            guard process.poll() == nil, MonotonicClock.now() < end else { throw failure }
            _ = WakeSignal.poll([process.exitDescriptor], until: deadline(in: 0.01))
        }
    }

    /// Has it print what it has kept, and waits for its end.
    func finish() throws {
        try input?.close()
        input = nil
        try waitForEnd(deadline: deadline(in: 60))
    }

    func waitForEnd(deadline: Int64) throws {
        guard process.end(signal: 0, deadline: deadline) == .exited(status: 0) else { throw failure }
    }

    private var failure: Failed { Failed(words: words, output: output) }
}
