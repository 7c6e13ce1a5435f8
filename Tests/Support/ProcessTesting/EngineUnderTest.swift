// A real engine, driven by its control channel as a client drives it, with a service of the test's own.
import CLinux
import FoundationEssentials
import Glibc
import KineControl
import KineMedia
import KinePlatform
import KineRelay
import KineServices
import SystemPackage
import Testing

/// An engine that was started for a take. Reads what it says while waiting for something; never waits without a deadline.
package final class EngineUnderTest {
    package struct TookTooLong: Error {
        package var waitingFor: String
        package var heard: [EngineMessage]
    }

    /// A message and when it was read: CLOCK_MONOTONIC, nanoseconds.
    package struct Heard {
        package var message: EngineMessage
        package var at: Int64
    }

    package let process: ChildProcess
    package let connection: ClientConnection
    package private(set) var heard: [Heard] = []

    package static var executable: FilePath {
        RunningKinecast.executable.removingLastComponent().appending("kinecast-engine")
    }

    package init(_ configuration: TakeConfiguration, in place: Workplace, environment: [String] = []) throws {
        let (connection, engineEnd) = try ClientConnection.pair()
        defer { try? engineEnd.close() }
        self.connection = connection
        var options = ChildProcess.Options()
        options.descriptors = [nil, nil, .standardError, engineEnd]
        options.newSession = true
        process = try ChildProcess(
            executable: Self.executable.string, arguments: [], environment: place.environment + environment,
            options: options)
        try connection.send(.start(configuration))
    }

    /// Waits for the first message that `match` accepts.
    @discardableResult
    package func wait<Found>(_ what: String, for match: (EngineMessage) -> Found?) throws -> (Found, at: Int64) {
        let deadline = MonotonicClock.now() + RunningKinecast.patience
        var next = 0
        while true {
            while next < heard.count {
                if let found = match(heard[next].message) { return (found, heard[next].at) }
                next += 1
            }
            let messages: [EngineMessage]
            do {
                messages = try connection.receive(until: deadline)
            } catch {
                process.signal(SIGKILL)
                throw TookTooLong(waitingFor: what, heard: heard.map(\.message))
            }
            guard !messages.isEmpty else {
                process.signal(SIGKILL)
                throw TookTooLong(waitingFor: what, heard: heard.map(\.message))
            }
            let now = MonotonicClock.now()
            heard += messages.map { Heard(message: $0, at: now) }
        }
    }

    /// Waits for an event of a destination.
    @discardableResult
    package func event<Found>(
        of destination: Int = 0, _ what: String, for match: (DestinationEvent.Kind) -> Found?
    ) throws -> (Found, at: Int64) {
        try wait(what) { message in
            guard case .destination(let event) = message, event.destination == destination else { return nil }
            return match(event.kind)
        }
    }

    /// Waits until a destination is in that phase, counting from the beginning.
    package func phase(_ phase: DestinationPhase, of destination: Int = 0) throws {
        try event(of: destination, "\(phase)") { $0 == .phase(phase) ? true : nil }
    }

    /// Waits for those words of an extension; returns when they were heard.
    @discardableResult
    package func state(_ state: String, of destination: Int = 0) throws -> Int64 {
        try event(of: destination, state) { $0 == .state(state) ? true : nil }.at
    }

    /// Waits until a destination is over for good; returns how, and when it was heard.
    package func ended(_ destination: Int = 0) throws -> (DestinationEnding, at: Int64) {
        try event(of: destination, "the end of the destination") {
            if case .ended(let ending) = $0 { ending } else { nil }
        }
    }

    /// The kinds of events of a destination that were heard, phases left out.
    package func kinds(of destination: Int = 0) -> [DestinationEvent.Kind] {
        heard.compactMap {
            guard case .destination(let event) = $0.message, event.destination == destination else { return nil }
            if case .phase = event.kind { return nil }
            return event.kind
        }
    }

    /// How often that was heard of the first destination.
    package func count(of kind: DestinationEvent.Kind) -> Int { kinds().count { $0 == kind } }

    package func status() throws -> TakeStatus {
        let seen = heard.count
        try connection.send(.status)
        var index = 0
        return try wait("the status") { message -> TakeStatus? in
            defer { index += 1 }
            guard index >= seen, case .status(let status) = message else { return nil }
            return status
        }.0
    }

    package struct Ended {
        package var summary: TakeSummary?
        package var failure: TakeFailure?
        package var exitStatus: Int32
    }

    /// Asks for the end of the take, and waits for it.
    package func stop() throws -> Ended {
        try connection.send(.stop(immediately: false))
        return try end()
    }

    /// Waits for the end of the take and of the process.
    package func end() throws -> Ended {
        let last = try wait("the end") { message -> EngineMessage? in
            switch message {
            case .finished, .failed: message
            default: nil
            }
        }.0
        let status: Int32 =
            switch process.end(signal: 0, deadline: MonotonicClock.now() + RunningKinecast.patience) {
            case .exited(let status): status
            case .killed(let signal): 128 + signal
            }
        switch last {
        case .finished(let summary): return Ended(summary: summary, failure: nil, exitStatus: status)
        case .failed(let failure): return Ended(summary: failure.summary, failure: failure, exitStatus: status)
        default: return Ended(summary: nil, failure: nil, exitStatus: status)
        }
    }
}

extension Workplace {
    /// Installs the faulty extension as the service "faults", with this in its manifest besides what every bundle has.
    package func installFaults(_ change: (inout ServiceManifest) -> Void = { _ in }) throws {
        var manifest = ServiceManifest(id: "faults", name: "Faults", executable: "kinecast-faults")
        manifest.video = .encoded(codec: "h264", keyframeInterval: 2)
        manifest.setup = ["fault", "rate", "token"].map { .init(key: $0, title: $0) }
        manifest.restarts = 0
        // What its faults are made of: shells, and memory for a child.
        manifest.readable = ["/bin", "/usr/bin", "/dev/zero"]
        change(&manifest)
        try install(manifest)
    }

    /// Installs an executable that was built beside the tests as a service of the user's.
    package func install(_ manifest: ServiceManifest) throws {
        let bundle = directory.appending(".local/share/kinecast/services/\(manifest.id).kinext")
        for end in 1...bundle.components.count - directory.components.count {
            var path = directory
            path.components.append(contentsOf: bundle.components.dropFirst(directory.components.count).prefix(end))
            guard mkdir(path.string, 0o755) == 0 || errno == EEXIST else { throw Errno(rawValue: errno) }
        }
        let file = try FileDescriptor.open(
            bundle.appending("manifest.json"), .writeOnly, options: [.create], permissions: .ownerReadWrite)
        try file.closeAfter { _ = try file.writeAll(manifest.encoded()) }
        let executable = RunningKinecast.executable.removingLastComponent().appending(manifest.executable)
        let copy = bundle.appending(manifest.executable)
        if link(executable.string, copy.string) != 0 { try Self.copy(executable, to: copy) }
    }

    /// A take of a small pattern, recorded to a.mp4, with the faulty extension beside it.
    package func faultyTake(_ fault: String, _ setup: [String: String] = [:], records: Bool = true) -> TakeConfiguration
    {
        var configuration = TakeConfiguration(
            source: .pattern(PixelSize(width: 320, height: 240)), output: records ? path("a.mp4") : nil)
        configuration.audio.app = .none
        configuration.wantsProgress = true
        // A busy machine may hold up a sound extension for long; tests of an impatient engine say how impatient.
        configuration.supervision.start = 120
        configuration.supervision.held = 120
        var info = setup
        info["fault"] = fault
        info["token"] = directory.string
        configuration.destinations = [.init(service: "faults", setupInfo: info, label: "faults")]
        return configuration
    }

    private static func copy(_ source: FilePath, to target: FilePath) throws {
        let input = try FileDescriptor.open(source, .readOnly)
        defer { try? input.close() }
        let output = try FileDescriptor.open(
            target, .writeOnly, options: [.create], permissions: [.ownerReadWriteExecute])
        try output.closeAfter {
            var chunk = [UInt8](repeating: 0, count: 1 << 20)
            while true {
                let count = try chunk.withUnsafeMutableBytes { try input.read(into: $0) }
                if count == 0 { break }
                _ = try output.writeAll(chunk[..<count])
            }
        }
    }
}
