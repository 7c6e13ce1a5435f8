// A decoder accepts the encoded frames of a rehearsal.
import Glibc
import KineMedia
import KinePlatform
import SystemPackage
import Testing

@testable import KinecastExtensionTesting

@Suite struct PatternStreamTests {
    @Test(arguments: [
        PixelSize(width: 64, height: 48), PixelSize(width: 90, height: 50), PixelSize(width: 640, height: 360),
    ])
    func `a decoder accepts the pattern`(size: PixelSize) throws {
        let program = try #require(ExecutableSearch.find("ffmpeg"), "install the package ffmpeg")
        var stream = PatternStream(size: size)
        let startCode: [UInt8] = [0, 0, 0, 1]
        guard case .h264(let sets) = stream.format.parameterSets else {
            Issue.record("the pattern is no H.264")
            return
        }
        var bytes = startCode + sets.sequence + startCode + sets.picture
        for number in 0..<40 {
            bytes += startCode + stream.next(isKeyframe: number % 20 == 0).dropFirst(4)
        }
        var template = Array("/tmp/kinecast-pattern-XXXXXX".utf8CString)
        let file = FileDescriptor(rawValue: mkstemp(&template))
        try #require(file.rawValue >= 0)
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer {
            unlink(path)
            try? file.close()
        }
        try file.writeAll(bytes)
        let said = try FileDescriptor.pipe()
        var options = ChildProcess.Options()
        options.descriptors = [nil, said.writeEnd, said.writeEnd]
        // One line for each frame, and one for each complaint.
        let decoder = try ChildProcess(
            executable: program,
            arguments: ["-v", "error", "-f", "h264", "-i", path, "-f", "framecrc", "-fps_mode", "passthrough", "-"],
            environment: [], options: options)
        try said.writeEnd.close()
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while case let count = try chunk.withUnsafeMutableBytes({ try said.readEnd.read(into: $0) }), count > 0 {
            output += chunk[..<count]
        }
        try said.readEnd.close()
        #expect(decoder.end(signal: 0, deadline: MonotonicClock.now() + 300_000_000_000) == .exited(status: 0))
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
        #expect(lines.contains("#dimensions 0: \(size.width)x\(size.height)"))
        let frames = lines.filter { !$0.hasPrefix("#") }
        #expect(frames.count == 40 && frames.allSatisfy { $0.hasPrefix("0,") }, "\(frames)")
        // The frame changes only at keyframes.
        #expect(Set(frames.compactMap { $0.split(separator: ",").last }).count == 2)
    }
}
