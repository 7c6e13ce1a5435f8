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
    func scratch() throws -> FileDescriptor {
        var template = Array("/tmp/kinecast-tool-XXXXXX".utf8CString)
        let descriptor = FileDescriptor(rawValue: mkstemp(&template))
        unlink(template)
        return descriptor
    }
    func text(_ descriptor: FileDescriptor) throws -> String {
        try descriptor.seek(offset: 0, from: .start)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = try buffer.withUnsafeMutableBytes({ try descriptor.read(into: $0) }), count > 0 {
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
    let (output, errors) = (try scratch(), try scratch())
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

func contents(of path: String) throws -> [UInt8] {
    let descriptor = try FileDescriptor.open(path, .readOnly)
    defer { try? descriptor.close() }
    let size = try Int(descriptor.seek(offset: 0, from: .end))
    return try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
        count = try descriptor.read(fromAbsoluteOffset: 0, into: UnsafeMutableRawBufferPointer(buffer))
    }
}

func write(_ bytes: [UInt8], to path: String) throws {
    let descriptor = try FileDescriptor.open(
        path, .writeOnly, options: [.create, .truncate], permissions: FilePermissions(rawValue: 0o644))
    defer { try? descriptor.close() }
    try descriptor.writeAll(bytes)
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
        "ffmpeg", ["-v", "warning", "-xerror", "-i", path, "-map", "0", "-enc_time_base", "-1", "-f", "null", "-"])
    #expect(result.errors == "", sourceLocation: sourceLocation)
    #expect(result.status == .exited(status: 0), sourceLocation: sourceLocation)
}
