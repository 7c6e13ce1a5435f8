// The program slurp, with which a person draws a rectangle on a compositor with layer surfaces.
import Glibc
import KineCapture
import KineMedia
import KinePlatform
import SystemPackage

/// A running slurp. A release ends it and removes its picture.
final class RegionProgram {
    enum Outcome: Equatable {
        /// In logical pixels of the desktop.
        case drawn(PixelRect)
        /// Too small to record.
        case tooSmall
        /// Also after a click without a drag: slurp 1.4 does not distinguish them.
        case cancelled
        /// With the program's last line, which may be empty.
        case failed(String)
    }

    static let name = "slurp"
    /// Debian's package.
    static let package = "slurp"
    private static let mostOutput = 64 << 10

    private let process: ChildProcess
    private let output: MemoryLog
    private let complaints: MemoryLog

    /// Shows the crosshair on the compositor's outputs. Call in a thread that outlives this object.
    init(display: String) throws(VideoSourceError) {
        guard let path = ExecutableSearch.find(Self.name) else { throw .noRegionProgram(package: Self.package) }
        guard let output = MemoryLog(name: "kinecast-region", limit: Self.mostOutput),
            let complaints = MemoryLog(name: "kinecast-region-log", limit: Self.mostOutput)
        else { throw .noDescriptor(Errno(rawValue: errno)) }
        (self.output, self.complaints) = (output, complaints)
        var options = ChildProcess.Options()
        // It reads rectangles to choose from until its input ends: here there are none.
        options.descriptors = [nil, output.descriptor, complaints.descriptor]
        options.newProcessGroup = true
        options.parentDeathSignal = SIGKILL
        do throws(Errno) {
            process = try ChildProcess(
                executable: path, arguments: ["-d", "-f", "%x %y %w %h"],
                environment: ProcessEnvironment.current(changing: ["WAYLAND_DISPLAY": display]), options: options)
        } catch {
            throw .regionProgramFailed("\(error)")
        }
    }

    deinit { end() }

    /// For poll: readable when it has ended; negative: check `outcome` periodically.
    var descriptor: Int32 { process.exitDescriptor }

    /// Kills the program, which also removes its picture. It has nothing to clean up.
    func end() {
        process.signalGroup(SIGKILL)
        _ = process.wait()
    }

    /// Nil while the person is drawing.
    var outcome: Outcome? {
        guard let ending = process.poll() else { return nil }
        return Self.outcome(ending, output: output.stderrTail(), complaint: complaints.stderrTail())
    }

    static func outcome(_ ending: ChildProcess.Ending, output: String?, complaint: String?) -> Outcome {
        guard ending == .exited(status: 0) else {
            // After the right button or Escape; they have no exit status of their own.
            return complaint?.hasPrefix("selection cancelled") == true ? .cancelled : .failed(complaint ?? "")
        }
        let numbers = (output ?? "").split(separator: " ").map { Int32($0) }
        guard numbers.count == 4, let x = numbers[0], let y = numbers[1], let width = numbers[2],
            let height = numbers[3]
        else { return .failed(output ?? "") }
        let sides = VideoCodec.frameSides
        guard sides.contains(Int(width)), sides.contains(Int(height)) else { return .tooSmall }
        return .drawn(PixelRect(x: Int(x), y: Int(y), width: Int(width), height: Int(height)))
    }
}
