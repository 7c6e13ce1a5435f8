// The scene's client as a process: started, waited for until its first frame stands, read, ended.
import CLinux
import Glibc
import KinePlatform
import SystemPackage

/// A running kinecast-scene. Call `end` when done; it also dies with the thread that made it.
public final class SceneProcess {
    /// One line of the scene's log; instants are nanoseconds of CLOCK_MONOTONIC.
    public struct Shown: Equatable, Sendable {
        public var frame: Int
        /// When the X server had drawn it.
        public var instant: Int64
        /// When the beep that belongs to it was to be heard.
        public var beep: Int64?

        public init(frame: Int, instant: Int64, beep: Int64? = nil) {
            self.frame = frame
            self.instant = instant
            self.beep = beep
        }
    }

    public let process: ChildProcess
    /// The X id of its window.
    public let window: UInt32

    private let folder: TemporaryDirectory

    /// Starts the scene and waits until its first frame is on the screen (30 seconds at most).
    /// - Parameters:
    ///   - arguments: what kinecast-scene takes after the scene's name, without `--log`.
    ///   - environment: where its display is, and its audio server.
    public init(_ scene: SceneKind, arguments: [String] = [], environment: [String]) throws {
        let executable = try Tool.sibling("kinecast-scene")
        folder = try TemporaryDirectory()
        let pipe = try FileDescriptor.pipe()
        defer { try? pipe.readEnd.close() }
        var options = ChildProcess.Options()
        options.descriptors = [nil, pipe.writeEnd, .standardError]
        options.parentDeathSignal = SIGTERM
        do {
            defer { try? pipe.writeEnd.close() }
            process = try ChildProcess(
                executable: executable, arguments: [scene.rawValue, "--log", folder.file("log")] + arguments,
                environment: ProcessEnvironment.merging(ProcessEnvironment.current, environment), options: options)
        }
        let line = Tool.readLine(pipe.readEnd, until: MonotonicClock.now() + Tool.timeout)
        guard let line, line.hasPrefix("ready "), let id = UInt32(line.dropFirst(6)) else {
            let ending = process.end(signal: SIGKILL, deadline: MonotonicClock.now())
            throw Tool.Error.failed(name: "kinecast-scene", ending: ending, complaint: "It showed no first frame.")
        }
        window = id
    }

    /// What it has shown so far, in order.
    public func log() throws -> [Shown] {
        let text = String(decoding: try Tool.contents(of: folder.file("log")), as: UTF8.self)
        return text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count >= 3, words[0] == "frame", let frame = Int(words[1]), let instant = Int64(words[2])
            else { return nil }
            return Shown(frame: frame, instant: instant, beep: words.count == 5 ? Int64(words[4]) : nil)
        }
    }

    /// Ends the scene and takes its window away.
    public func end() { _ = process.end(deadline: MonotonicClock.now() + 2_000_000_000) }
}
