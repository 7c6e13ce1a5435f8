// The real executable, driven as a script would drive it.
import FoundationEssentials
import Glibc
import KinePlatform
import SystemPackage
import Testing

/// A kinecast that was started. Reads what it says while waiting for something; never waits without a deadline.
final class RunningKinecast {
    struct Ended {
        var status: Int32
        var output: String
        var errors: String
        /// The events of `--json`.
        var events: [Event] { Event.all(in: output) }
    }

    /// The keys of an event that tests look at.
    struct Event: Decodable {
        var event: String
        var time: Double?
        var id: String?
        var output: String?
        var duration: Double?
        var bytes: Int?
        var width: Int?
        var height: Int?
        var framesDrawn: Int?
        var framesUnchanged: Int?
        var framesDropped: Int?
        var reason: String?
        var result: String?
        var exitStatus: Int32?
        var status: Int32?
        var message: String?
        var pid: Int32?
        var phase: String?
        var label: String?
        var kind: String?
        var link: String?
        var state: String?
        var ending: String?
        var destinations: [Destination]?

        struct Destination: Decodable {
            var label: String
            var phase: String
            var ending: String?
            var link: String?
            var pictures: Int?
            var viewers: Int?
            var peakMemory: Int?
            var restarts: Int?
            var state: String?
            var uptime: Double?
            var reconnects: Int?
            var bitrate: Int?
            var queueMilliseconds: Int?
            var roundTripMilliseconds: Double?
            var picturesDropped: Int?
            var requestedBitrate: Int?
        }

        static func all(in text: String) -> [Event] {
            text.split(separator: "\n").compactMap { try? JSONDecoder().decode(Event.self, from: Data($0.utf8)) }
        }
    }

    struct TookTooLong: Error {
        var waitingFor: String
        var output: String
        var errors: String
    }

    /// Long enough for a machine that does four other things; only a failure waits for it.
    static let patience: Int64 = 60_000_000_000

    let process: ChildProcess
    private let ends: [FileDescriptor]
    private var text = ["", ""]
    private var isOpen = [true, true]
    private var isClosed = [false, false]
    private var hasEnded = false

    /// Where `swift build` put the executables: beside the tests.
    static let executable: FilePath = {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = max(0, readlink("/proc/self/exe", &buffer, buffer.count))
        let own = FilePath(String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self))
        let beside = own.removingLastComponent().appending("kinecast")
        if access(beside.string, X_OK) == 0 { return beside }
        // Run by a helper of the toolchain: the default build directory of this package then.
        return FilePath(#filePath).removingLastComponent().removingLastComponent().removingLastComponent()
            .appending(".build/debug/kinecast")
    }()

    /// `executable`: another program than kinecast, its arguments with it.
    init(
        arguments: [String], environment: [String], directory: FilePath, terminal: FileDescriptor? = nil,
        executable: String = RunningKinecast.executable.string
    ) throws {
        let output = try FileDescriptor.pipe()
        let errors = try FileDescriptor.pipe()
        let null = try FileDescriptor.open("/dev/null", .readOnly)
        defer { for end in [output.writeEnd, errors.writeEnd, null] { try? end.close() } }
        var options = ChildProcess.Options()
        options.descriptors = [null, output.writeEnd, terminal ?? errors.writeEnd]
        options.directory = directory.string
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
    func event(_ name: String, where isWanted: (Event) -> Bool = { _ in true }) throws -> Event {
        let deadline = MonotonicClock.now() + Self.patience
        while true {
            if let found = Event.all(in: text[0]).first(where: { $0.event == name && isWanted($0) }) { return found }
            try read(until: deadline, waitingFor: name)
        }
    }

    /// Waits for these words on standard error.
    func words(_ words: String) throws {
        let deadline = MonotonicClock.now() + Self.patience
        while !text[1].contains(words) { try read(until: deadline, waitingFor: words) }
    }

    func signal(_ number: Int32) { process.signal(number) }

    /// Closes this side of its standard output, as a reader who has seen enough.
    func closeOutput() {
        try? ends[0].close()
        isClosed[0] = true
        isOpen[0] = false
    }

    /// Waits for its end, at most for so many nanoseconds.
    func wait(for patience: Int64 = RunningKinecast.patience) throws -> Ended {
        let deadline = MonotonicClock.now() + patience
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
