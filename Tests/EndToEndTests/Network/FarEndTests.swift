// The other end of a network under test leaves nothing behind when the process that started it is killed.
import KineMeasure
import KinePlatform
import SystemPackage
import Testing

@Suite(.tags(.real, .programs)) struct FarEndTests {
    @Test func `the server ends when nobody holds the other end of its standard input`() throws {
        let (theirs, input) = try FileDescriptor.pipe()
        defer { try? theirs.close() }
        var options = ChildProcess.Options()
        options.descriptors = [theirs, nil, .standardError]
        let server = try ChildProcess(
            executable: RunningKinecast.sibling("kinecast-farend"), arguments: ["serve"],
            environment: ProcessEnvironment.current, options: options)
        #expect(server.poll() == nil)
        try input.close()
        // Signal 0 is none: it has to end by itself.
        let ending = server.end(signal: 0, deadline: MonotonicClock.now() + RunningKinecast.timeout)
        #expect(ending == .exited(status: 0))
    }
}
