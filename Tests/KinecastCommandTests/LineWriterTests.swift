// Lines for a program that reads them late, or never.
import CLinux
import FoundationEssentials
import Glibc
import KinePlatform
import KineProgram
import SystemPackage
import Testing

@testable import KinecastCommand

@Suite struct LineWriterTests {
    private struct Line: Decodable, Equatable {
        var event: String
        var count: Int?
    }

    /// Reads all lines, until no process has the other end of the pipe any more.
    private func lines(_ pipe: FileDescriptor) throws -> [String] {
        String(decoding: try pipe.readToEnd(atMost: 64 << 20), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Waits until all is written.
    private func drain(_ terminal: Terminal) {
        while let pending = terminal.writer?.pending { _ = WakeSignal.poll([pending], until: nil) }
    }

    @Test func `a reader that keeps up gets every line`() throws {
        let pipe = try FileDescriptor.pipe()
        let terminal = Terminal(pipe.writeEnd).unblocked(json: false)
        for number in 0..<100 { terminal.line("line \(number)") }
        drain(terminal)
        try pipe.writeEnd.close()
        #expect(try lines(pipe.readEnd) == (0..<100).map { "line \($0)" })
        try pipe.readEnd.close()
    }

    @Test func `a line that cannot be written is reported at the end, with 74`() throws {
        let full = try FileDescriptor.open("/dev/full", .writeOnly)
        defer { try? full.close() }
        let (blocking, other) = (Terminal(full), Terminal(full))
        blocking.line("lost")
        let writing = other.unblocked(json: true)
        writing.line("lost")
        drain(writing)
        for terminal in [blocking, other] {
            let failure = #expect(throws: CommandFailure.self) { try terminal.checkWritten() }
            #expect(failure?.status == ExitStatus.storageFailed)
        }
        try Terminal.none.checkWritten()
    }

    @Test func `what does not fit for a reader that has stopped is counted in its place, and the end is kept`() throws {
        let pipe = try FileDescriptor.pipe()
        let output = Terminal(pipe.writeEnd).unblocked(json: true)
        let filling = String(repeating: "x", count: 1000)
        // Twice as much as waits.
        let written = 2 * LineWriter.limit / 1000
        for number in 0..<written { output.json("{\"event\":\"\(number)\",\"filling\":\"\(filling)\"}") }
        output.writer?.keepAll()
        output.json("{\"event\":\"summary\"}")
        let received = Monitor<[String]?>(nil)
        let reader = DedicatedThread(name: "reader") { [self] in
            let lines = try? lines(pipe.readEnd)
            received.signal { $0 = lines }
        }
        drain(output)
        try pipe.writeEnd.close()
        reader.join()
        let events = try (received.withLock { $0 } ?? []).map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
        try #require(events.count > 2)
        #expect(events.last == Line(event: "summary"))
        let dropped = events[events.count - 2]
        let kept = events.count - 2
        #expect(dropped.event == "dropped" && dropped.count == written - kept)
        #expect(kept < written && events.prefix(kept).map(\.event) == (0..<kept).map { "\($0)" })
        try pipe.readEnd.close()
    }

    @Test func `a descriptor that another program has made non-blocking loses no line`() throws {
        let pipe = try FileDescriptor.pipe()
        _ = fcntl(pipe.writeEnd.rawValue, F_SETFL, O_NONBLOCK)
        let terminal = Terminal(pipe.writeEnd).unblocked(json: false)
        let filling = String(repeating: "x", count: 1000)
        // More than a pipe holds.
        for number in 0..<200 { terminal.line("\(number) \(filling)") }
        let received = Monitor<[String]?>(nil)
        let reader = DedicatedThread(name: "reader") { [self] in
            let lines = try? lines(pipe.readEnd)
            received.signal { $0 = lines }
        }
        drain(terminal)
        try pipe.writeEnd.close()
        reader.join()
        #expect(received.withLock { $0 }?.map { $0.prefix { $0 != " " } } == (0..<200).map { "\($0)" })
        try pipe.readEnd.close()
    }
}
