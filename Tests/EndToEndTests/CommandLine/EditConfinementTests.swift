// The engine that reads a recording for `kinecast trim`, `thumbnail` and the library has given up what it does not need.
import FoundationEssentials
import KineMeasure
import KineMedia
import KinePlatform
import KineWire
import ProcessTesting
import SystemPackage
import Testing

@Suite(.tags(.real, .programs)) struct EditConfinementTests {
    /// The number of filters of system calls that a process has entered.
    private static func filters(_ status: [Substring]) throws -> Int {
        let line = try #require(status.first { $0.hasPrefix("Seccomp_filters:") })
        return try #require(Int(line.drop { !$0.isNumber }))
    }

    @Test func `it has entered its filter, and can gain no rights`() throws {
        try TestPlace.with { place in
            let recorded = try place.run("record", "a.mp4", "--pattern", "640x480", "--duration", "1")
            try #require(recorded.status == 0, "\(recorded)")
            let request = EditRequest.images(
                ImagesRequest(
                    input: place.path("a.mp4"), times: (0..<30).map { .milliseconds($0 * 30) }, maximumSize: nil,
                    format: "png"))
            let input = try MemoryInput(try JSONEncoder().encode(request), name: "kinecast-question")
            let pipe = try FileDescriptor.pipe()
            defer { try? pipe.readEnd.close() }
            var options = ChildProcess.Options()
            options.descriptors = [input.descriptor, pipe.writeEnd, nil]
            let engine = try ChildProcess(
                executable: RunningKinecast.sibling("kinecast-engine"), arguments: ["--edit"],
                environment: place.environment, options: options)
            try pipe.writeEnd.close()
            // The answer is longer than a pipe holds, so the engine waits in the middle of it.
            #expect(WakeSignal.poll([pipe.readEnd.rawValue], until: MonotonicClock.now() + RunningKinecast.timeout)[0])
            let status = ProcFiles.read("/proc/\(engine.pid)/status").split(separator: "\n")
            #expect(status.contains("NoNewPrivs:\t1"))
            let limit = try #require(
                ProcFiles.read("/proc/\(engine.pid)/limits").split(separator: "\n")
                    .first { $0.hasPrefix("Max data size") }?.split(separator: " ").dropFirst(3).first)
            #expect(Int(limit) == 1 << 30 + 128 * 640 * 480)
            // One against executing programs, and that of the sandbox.
            let added = 2
            #expect(
                try Self.filters(status) == Self.filters(ProcFiles.read("/proc/self/status").split(separator: "\n"))
                    + added)
            var bytes = 0
            var chunk = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = try chunk.withUnsafeMutableBytes { try pipe.readEnd.read(into: $0) }
                if count == 0 { break }
                bytes += count
            }
            #expect(bytes > 65536, "it did not wait")
            #expect(engine.end(signal: 0, deadline: .max) == .exited(status: 0))
        }
    }
}
