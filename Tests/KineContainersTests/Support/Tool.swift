// Runs the programs that judge our files: ffmpeg, ffprobe, mediainfo. A missing one is a failure, not a reason to skip.
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage
import Testing

struct ToolResult {
    var status: ChildProcess.Ending
    var output: String
    var errors: String
}

extension TemporaryDirectory {
    func callAsFunction(_ name: String) -> String { file(name) }
}

func run(_ tool: String, _ arguments: [String]) throws -> ToolResult {
    func text(_ descriptor: FileDescriptor) throws -> String {
        try descriptor.seek(offset: 0, from: .start)
        return String(decoding: try Tool.readAll(descriptor), as: UTF8.self)
    }
    let (output, errors) = (try Tool.temporaryFile(), try Tool.temporaryFile())
    defer {
        try? output.close()
        try? errors.close()
    }
    var options = ChildProcess.Options()
    let null = try FileDescriptor.open("/dev/null", .readOnly)
    defer { try? null.close() }
    options.descriptors = [null, output, errors]
    let child = try ChildProcess(
        executable: "/usr/bin/env", arguments: [tool] + arguments,
        environment: ["PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8"], options: options)
    let result = ToolResult(status: child.wait(), output: try text(output), errors: try text(errors))
    #expect(
        result.status != .exited(status: 127), "\(tool) is missing: install the Debian packages ffmpeg and mediainfo")
    return result
}

func contents(of path: String) throws -> [UInt8] { try Tool.contents(of: path) }

func write(_ bytes: [UInt8], to path: String) throws {
    try Tool.write(bytes, to: path, permissions: FilePermissions(rawValue: 0o644))
}

/// The number of packets of each track ("video", "audio" …, in track order) that ffprobe reads, and the file's duration
/// in seconds. Any warning is a failure.
func probe(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> (
    packets: [Int], duration: Double
) {
    let result = try run(
        "ffprobe",
        [
            "-v", "warning", "-count_packets", "-show_entries", "stream=nb_read_packets:format=duration", "-of",
            "default=noprint_wrappers=1", path,
        ])
    #expect(result.errors == "", sourceLocation: sourceLocation)
    #expect(result.status == .exited(status: 0), sourceLocation: sourceLocation)
    var packets: [Int] = []
    var duration = 0.0
    for line in result.output.split(separator: "\n") {
        let field = line.split(separator: "=")
        if field[0] == "nb_read_packets" { packets.append(Int(field[1]) ?? -1) }
        if field[0] == "duration" { duration = Double(field[1]) ?? -1 }
    }
    return (packets, duration)
}

/// Decodes all of a file. Any warning is a failure.
func decode(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let result = try run(
        "ffmpeg",
        ["-v", "warning", "-xerror", "-i", path, "-map", "0", "-enc_time_base:v", "1:90000", "-f", "null", "-"])
    #expect(result.errors == "", sourceLocation: sourceLocation)
    #expect(result.status == .exited(status: 0), sourceLocation: sourceLocation)
}
