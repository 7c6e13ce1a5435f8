// A take as a client runs it: a real engine, told over the control channel what to do.
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import KineWire
import SystemPackage

/// A running engine with its take. Used by one thread; the engine is ended with this object.
final class EngineTake {
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    let process: ChildProcess
    private let connection: ClientConnection
    private let log: FileDescriptor
    private let logPath: String
    private var hasEnded = false
    private var links: [String] = []
    /// How often the audio's levels have come.
    private(set) var levels = 0

    /// Starts an engine and its take, and waits until the first frame was taken and every destination is live.
    ///
    /// - Parameter receivers: paths of further programs that may have the screen's frames, as this one may.
    init(
        _ configuration: TakeConfiguration, confinement: ConfinementRequest = ConfinementRequest(),
        environment: [String], folder: TemporaryDirectory, receivers: [String] = []
    ) throws {
        logPath = folder.file("engine.log")
        log = try FileDescriptor.open(
            FilePath(logPath), .readWrite, options: [.create, .truncate], permissions: [.ownerReadWrite])
        let (connection, engineEnd) = try ClientConnection.pair()
        self.connection = connection
        defer { try? engineEnd.close() }
        var options = ChildProcess.Options()
        options.descriptors = [nil, nil, log, engineEnd]
        options.parentDeathSignal = SIGKILL
        // Grants the permissions that a person would be asked for: this program captures the screen and a microphone, the receivers get
        // frames.
        let permissions = PermissionStore(file: FilePath(folder.file("kinecast/permissions.json")))
        for program in [ExecutableSearch.own ?? ""] + receivers {
            let subject = PermissionSubject(
                identifier: String(program.split(separator: "/").last ?? ""), executable: program)
            try permissions.decide(.granted, [.screen, .microphone], for: subject, name: nil)
        }
        process = try ChildProcess(
            executable: try Tool.sibling("kinecast-engine"), arguments: [],
            environment: environment + ["XDG_CONFIG_HOME=\(folder.path)"], options: options)
        try connection.send(.start(configuration, confinement: confinement))
        var hasStarted = false
        var live: Set<Int> = []
        try take(until: deadline(in: 20)) { message in
            switch message {
            case .event(.started): hasStarted = true
            case .event(.destination(let event)):
                switch event.kind {
                case .phase(.live): live.insert(event.destination)
                case .ended(let ending): throw Failed(description: "The destination \(event.label) ended: \(ending).")
                default: break
                }
            default: break
            }
            return hasStarted && live.count == configuration.destinations.count
        }
    }

    deinit {
        if !hasEnded { _ = process.end(signal: SIGKILL, deadline: MonotonicClock.now()) }
        try? log.close()
    }

    /// Asks how the take stands.
    func status() throws -> TakeStatus {
        try connection.send(.status)
        var result: TakeStatus?
        try take(until: deadline(in: 5)) { message in
            if case .answer(_, .success(.status(let status))) = message { result = status }
            return result != nil
        }
        guard let result else { throw Failed(description: "The engine gave no status.") }
        return result
    }

    /// Begins or ends the levels of the take's audio.
    func showAudioLevels(_ isOn: Bool) throws {
        try connection.send(.showAudioLevels(isOn))
        // Answered after that.
        _ = try status()
    }

    /// The earliest instant that can have been the take's time zero, in nanoseconds of CLOCK_MONOTONIC: each answer says
    /// how old the take was at some instant between the question and the answer. What is reckoned from it is too long by
    /// the shortest such while rather than too short.
    func origin() throws -> Int64 {
        var earliest = Int64.min
        for _ in 0..<50 {
            let asked = MonotonicClock.now()
            earliest = max(earliest, asked - (try status().progress.duration.nanoseconds))
        }
        return earliest
    }

    /// Where the broadcast can be seen; waits until a destination has said so.
    func link() throws -> String {
        if links.isEmpty { try take(until: deadline(in: 10)) { _ in !links.isEmpty } }
        return links[0]
    }

    /// Takes messages for so long, so that none waits.
    func run(for seconds: Double) throws {
        let end = deadline(in: seconds)
        try take(until: end, mustHappen: false) { _ in false }
    }

    /// Ends the take and returns its summary.
    @discardableResult
    func stop() throws -> TakeSummary {
        try connection.send(.stop(immediately: false))
        var summary: TakeSummary?
        try take(until: deadline(in: 20)) { message in
            if case .event(.finished(let result)) = message { summary = result }
            return summary != nil
        }
        _ = process.end(signal: 0, deadline: deadline(in: 10))
        hasEnded = true
        guard let summary else { throw Failed(description: "The engine gave no summary.") }
        return summary
    }

    /// Hands on messages until `body` says that it has what it wants.
    private func take(
        until end: Int64, mustHappen: Bool = true, _ body: (EngineMessage) throws -> Bool
    ) throws {
        while MonotonicClock.now() < end {
            let messages: [EngineMessage]
            do {
                messages = try connection.receive(until: end)
            } catch {
                throw Failed(description: "The engine is gone (\(error)). \(stderrTail)")
            }
            var isDone = false
            for message in messages {
                if case .event(.failed(let failure)) = message { throw Failed(description: failure.message) }
                if case .answer(_, .failure(let refusal)) = message { throw Failed(description: refusal.message) }
                if case .event(.destination(let event)) = message, case .link(let link) = event.kind {
                    links.append(link)
                }
                if case .event(.audioLevels) = message { levels += 1 }
                if try body(message) { isDone = true }
            }
            if isDone { return }
        }
        if mustHappen { throw Failed(description: "The engine did not answer in time. \(stderrTail)") }
    }

    private var stderrTail: String { ProcFiles.end(of: logPath) }
}
