// Firefox's own remote control, for which Debian has no WebDriver server: JSON over TCP, its length before it
// (firefox-source-docs, Marionette, "Protocol").
import FoundationEssentials
import Glibc
import KinePlatform
import SystemPackage

/// A connection with a running Firefox. Belongs to one thread.
final class Marionette {
    private let connection: FileDescriptor
    private var received: [UInt8] = []
    private var lastNumber = 0

    /// Starts Firefox, which takes a free port and writes it into its profile.
    static func start(
        profile: String, _ arguments: [String], _ environment: [String]
    ) throws -> (process: ChildProcess, Marionette) {
        guard mkdir(profile, 0o700) == 0 else { throw Errno(rawValue: errno) }
        let settings = """
            user_pref("marionette.port", 0);
            user_pref("media.autoplay.default", 0);
            user_pref("datareporting.policy.dataSubmissionEnabled", false);
            """
        let file = try FileDescriptor.open(
            FilePath(profile + "/user.js"), .writeOnly, options: [.create], permissions: .ownerReadWrite)
        try file.closeAfter { _ = try file.writeAll(settings.utf8) }
        let process = try BrowserDriver.start(
            "firefox-esr", ["--headless", "--marionette", "--no-remote", "--profile", profile] + arguments, environment,
            output: nil)
        let deadline = MonotonicClock.now() + Tool.timeout
        while true {
            let text = ProcFiles.read(profile + "/MarionetteActivePort")
            if let port = UInt16(text), let connection = try? Loopback.connect(to: Int(port)) {
                return (process, try Marionette(connection, deadline: deadline))
            }
            guard MonotonicClock.now() < deadline, process.poll() == nil else { break }
            _ = WakeSignal.poll([], until: MonotonicClock.now() + 10_000_000)
        }
        throw Browser.Error.noAnswer(
            "Firefox took no connection: \(process.end(signal: SIGKILL, deadline: MonotonicClock.now()))")
    }

    private init(_ connection: FileDescriptor, deadline: Int64) throws {
        self.connection = connection
        // Its greeting, with the protocol's version.
        _ = try message(until: deadline)
    }

    deinit { try? connection.close() }

    /// Sends a command of WebDriver, as it would go over HTTP, and returns its value.
    func ask<Value: Decodable>(
        _ method: String, _ path: String, _ body: (some Encodable)?, deadline: Int64
    ) throws -> Value {
        // /session/ID/element/ELEMENT/click
        let words = path.split(separator: "/").dropFirst(2)
        let element = words.count == 3 ? words.dropFirst().first.map { String($0) } : nil
        lastNumber += 1
        let command = try Command(
            number: lastNumber, name: Self.name(method, words.filter { $0 != element ?? "" }), body: body,
            element: element)
        let text = Array(try JSONEncoder().encode(command))
        try connection.writeAll(Array("\(text.count):".utf8) + text)
        let reply = try JSONDecoder().decode(Reply<Value>.self, from: Data(try message(until: deadline)))
        switch reply {
        case .value(let value): return value
        case .error(let message): throw Browser.Error.refused(message)
        }
    }

    private static func name(_ method: String, _ words: [Substring]) throws -> String {
        let name: String? =
            switch (method, words.joined(separator: "/")) {
            case ("POST", ""): "NewSession"
            case ("DELETE", ""): "DeleteSession"
            case ("POST", "url"): "Navigate"
            case ("POST", "window/rect"): "SetWindowRect"
            case ("POST", "timeouts"): "SetTimeouts"
            case ("POST", "execute/sync"): "ExecuteScript"
            case ("POST", "execute/async"): "ExecuteAsyncScript"
            case ("POST", "element"): "FindElement"
            case ("POST", "element/click"): "ElementClick"
            default: nil
            }
        guard let name else { throw Browser.Error.refused("Firefox is not asked for \(words) here") }
        return "WebDriver:" + name
    }

    /// The next message whole, without its length.
    private func message(until deadline: Int64) throws -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            if let colon = received.firstIndex(of: UInt8(ascii: ":")),
                let length = Int(String(decoding: received[..<colon], as: UTF8.self)),
                received.count > colon + length
            {
                defer { received.removeFirst(colon + 1 + length) }
                return Array(received[(colon + 1)...(colon + length)])
            }
            guard WakeSignal.poll([connection.rawValue], until: deadline)[0] else {
                throw Browser.Error.noAnswer("nothing came in time from Firefox")
            }
            let count = try chunk.withUnsafeMutableBytes { try connection.read(into: $0) }
            guard count > 0 else { throw Browser.Error.noAnswer("Firefox hung up") }
            received += chunk[..<count]
        }
    }

    /// [0, number, name, parameters].
    private struct Command<Body: Encodable>: Encodable {
        var number: Int
        var name: String
        var body: Body?
        var element: String?

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(0)
            try container.encode(number)
            try container.encode(name)
            if let element {
                try container.encode(["id": element])
            } else if let body {
                try container.encode(body)
            } else {
                try container.encode([String: String]())
            }
        }
    }

    /// [1, number, error, result]. The result of a new session is its value, that of other commands has it.
    private enum Reply<Value: Decodable>: Decodable {
        case value(Value)
        case error(String)

        private struct Failure: Decodable { var message: String }
        private struct Result: Decodable { var value: Value }

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            _ = try container.decode(Int.self)
            _ = try container.decode(Int.self)
            if let failure = try container.decodeIfPresent(Failure.self) {
                self = .error(failure.message)
            } else {
                let result = try container.superDecoder()
                self = .value(try (try? Result(from: result))?.value ?? Value(from: result))
            }
        }
    }
}
