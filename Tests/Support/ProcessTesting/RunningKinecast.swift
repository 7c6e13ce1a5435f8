// The real executable, driven as a script would drive it.
import FoundationEssentials
import Glibc
import KinePlatform
import SystemPackage
import Testing

/// A kinecast that was started. Reads what it says while waiting for something; never waits without a deadline.
package final class RunningKinecast {
    package struct Ended {
        package var status: Int32
        package var output: String
        package var errors: String
        /// The events of `--json`.
        package var events: [Event] { Event.all(in: output) }
    }

    /// The keys of an event that tests look at.
    package struct Event: Decodable {
        package var event: String
        package var time: Double?
        package var id: String?
        package var output: String?
        package var files: [String]?
        package var duration: Double?
        package var bytes: Int?
        package var width: Int?
        package var height: Int?
        package var maximumBitrate: Int?
        package var framesDrawn: Int?
        package var framesUnchanged: Int?
        package var framesDropped: Int?
        package var reason: String?
        package var result: String?
        package var exitStatus: Int32?
        package var status: Int32?
        package var message: String?
        package var pid: Int32?
        package var start: Double?
        package var askedDuration: Double?
        package var title: String?
        package var frames: Int?
        package var phase: String?
        package var label: String?
        package var kind: String?
        package var link: String?
        package var state: String?
        package var ending: String?
        package var monitor: String?
        package var application: String?
        package var audioOutput: String?
        package var locked: Bool?
        package var on: Bool?
        package var seconds: Int?
        package var destinations: [Destination]?

        package struct Destination: Decodable {
            package var label: String
            package var phase: String
            package var ending: String?
            package var message: String?
            package var problem: String?
            package var link: String?
            package var frames: Int?
            package var viewers: Int?
            package var peakMemory: Int?
            package var restarts: Int?
            package var state: String?
            package var uptime: Double?
            package var reconnects: Int?
            package var bitrate: Int?
            package var queueMilliseconds: Int?
            package var roundTripMilliseconds: Double?
            package var framesDropped: Int?
            package var framesSkipped: Int?
            package var requestedBitrate: Int?
        }

        package static func all(in text: String) -> [Event] {
            text.split(separator: "\n").compactMap { try? JSONDecoder().decode(Event.self, from: Data($0.utf8)) }
        }
    }

    package struct TookTooLong: Error {
        package var waitingFor: String
        package var output: String
        package var errors: String
    }

    /// Nanoseconds for a whole run of a program: scripts/endurance has takes of minutes.
    package static let timeout: Int64 = 300_000_000_000

    package let process: ChildProcess
    private let ends: [FileDescriptor]
    private var text = ["", ""]
    private var isOpen = [true, true]
    private var isClosed = [false, false]
    private var hasEnded = false
    /// Characters of standard output that `line` has passed.
    private var passed = 0

    /// Where this package's executables are: beside the tests.
    package static let executables = FilePath(ExecutableSearch.own ?? "/").removingLastComponent()
    /// The top of this package, from Tests/Support/ProcessTesting/RunningKinecast.swift on.
    package static let checkout = (0..<4).reduce(into: FilePath(#filePath)) { path, _ in path.removeLastComponent() }
    package static let executable = executables.appending("kinecast")

    /// Draws known frames and beeps.
    package static let scene = sibling("kinecast-scene")

    /// The path of another of this package's programs.
    package static func sibling(_ name: String) -> String { executables.appending(name).string }

    /// `input`: its standard input, which stays the caller's; nil: an empty one. `executable`: another program than kinecast, its
    /// arguments with it. `asJob`: in a process group of its own, as a shell's job.
    package init(
        arguments: [String], environment: [String], directory: FilePath, input: FileDescriptor? = nil,
        terminal: FileDescriptor? = nil, executable: String = RunningKinecast.executable.string,
        ignoredSignals: [Int32] = [], asJob: Bool = false
    ) throws {
        let output = try FileDescriptor.pipe()
        let errors = try FileDescriptor.pipe()
        let null = try FileDescriptor.open("/dev/null", .readOnly)
        defer { for end in [output.writeEnd, errors.writeEnd, null] { try? end.close() } }
        var options = ChildProcess.Options()
        options.descriptors = [input ?? null, output.writeEnd, terminal ?? errors.writeEnd]
        options.directory = directory.string
        options.ignoredSignals = ignoredSignals
        options.newProcessGroup = asJob
        process = try ChildProcess(
            executable: executable, arguments: arguments, environment: environment, options: options)
        ends = [output.readEnd, errors.readEnd]
    }

    deinit {
        // A test that failed half-way leaves nothing behind: the engine ends what its client no longer wants.
        if !hasEnded { _ = process.end(signal: SIGTERM, deadline: MonotonicClock.now() + 5_000_000_000) }
        for (end, isClosed) in zip(ends, isClosed) where !isClosed { try? end.close() }
    }

    /// Waits for an event of that name that `isWanted`, and returns the first.
    @discardableResult
    package func event(_ name: String, where isWanted: (Event) -> Bool = { _ in true }) throws -> Event {
        let deadline = MonotonicClock.now() + Self.timeout
        while true {
            if let found = Event.all(in: text[0]).first(where: { $0.event == name && isWanted($0) }) { return found }
            try read(until: deadline, waitingFor: name)
        }
    }

    /// Waits until so many seconds are recorded, as the take itself says, and some of them are in the file.
    package func recorded(_ seconds: Double) throws {
        try event("progress") { ($0.duration ?? 0) >= seconds && ($0.bytes ?? 0) > 0 }
    }

    /// Waits for these words on standard error, or on standard output.
    package func words(_ words: String, onOutput: Bool = false) throws {
        let deadline = MonotonicClock.now() + Self.timeout
        while !text[onOutput ? 0 : 1].contains(words) { try read(until: deadline, waitingFor: words) }
    }

    /// Waits for a line of standard output with that beginning, behind the last one that was waited for.
    @discardableResult
    package func line(_ beginning: String) throws -> String {
        let deadline = MonotonicClock.now() + Self.timeout
        while true {
            let rest = text[0].utf8.dropFirst(passed)
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                passed += line.utf8.count + 1
                if line.hasPrefix(beginning) { return line }
            } else {
                try read(until: deadline, waitingFor: beginning)
            }
        }
    }

    package func signal(_ number: Int32) { process.signal(number) }

    /// Closes this side of its standard output, as a reader who has seen enough.
    package func closeOutput() {
        try? ends[0].close()
        isClosed[0] = true
        isOpen[0] = false
    }

    /// Waits for its end, at most for so many nanoseconds.
    package func wait(for timeout: Int64 = RunningKinecast.timeout) throws -> Ended {
        let deadline = MonotonicClock.now() + timeout
        while isOpen.contains(true) { try read(until: deadline, waitingFor: "the end") }
        let status: Int32 =
            switch process.end(signal: 0, deadline: deadline) {
            case .exited(let status): status
            case .killed(let signal): 128 + signal
            }
        hasEnded = true
        return Ended(status: status, output: text[0], errors: text[1])
    }

    private func read(until deadline: Int64, waitingFor what: String) throws {
        let open = [0, 1].filter { isOpen[$0] }
        guard !open.isEmpty, MonotonicClock.now() < deadline else {
            process.signal(SIGKILL)
            throw TookTooLong(waitingFor: what, output: text[0], errors: text[1])
        }
        let ready = WakeSignal.poll(open.map { ends[$0].rawValue }, until: deadline)
        for (index, isReady) in zip(open, ready) where isReady {
            var chunk = [UInt8](repeating: 0, count: 65536)
            let count = try chunk.withUnsafeMutableBytes { try ends[index].read(into: $0) }
            if count == 0 { isOpen[index] = false }
            text[index] += String(decoding: chunk[..<count], as: UTF8.self)
        }
    }
}
