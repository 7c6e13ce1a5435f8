// A question at a terminal, which is the other end of a pseudo-terminal here.
import Glibc
import KinePlatform
import SystemPackage
import Testing

@testable import KineClient

@Suite struct TerminalQuestionTests {
    @Test(
        arguments: [
            ("y\n", true), ("YES\n", true), ("  y  \n", true), ("n\n", false), ("\n", false), ("maybe\n", false),
            ("\u{4}", nil),
        ] as [(String, Bool?)])
    func `only a yes is one, and the end of the terminal is no answer`(typed: String, expected: Bool?) throws {
        var (master, slave): (Int32, Int32) = (-1, -1)
        #expect(openpty(&master, &slave, nil, nil, nil) == 0)
        defer { close(master) }
        let person = FileDescriptor(rawValue: master)
        let thread = try DedicatedThread(starting: "person") {
            var seen = ""
            while !seen.contains("[y/N]") {
                var bytes = [UInt8](repeating: 0, count: 256)
                guard let count = try? bytes.withUnsafeMutableBytes({ try person.read(into: $0) }), count > 0 else {
                    return
                }
                seen += String(decoding: bytes[..<count], as: UTF8.self)
            }
            _ = try? person.writeAll(typed.utf8)
        }
        #expect(TerminalQuestion(terminal: FileDescriptor(rawValue: slave)).ask("Allow it?") == expected)
        thread.join()
    }

    @Test func `a question that was answered elsewhere ends, whatever is typed`() throws {
        var (master, slave): (Int32, Int32) = (-1, -1)
        #expect(openpty(&master, &slave, nil, nil, nil) == 0)
        defer { close(master) }
        let withdrawal = WakeSignal()
        withdrawal.signal()
        let question = TerminalQuestion(terminal: FileDescriptor(rawValue: slave))
        #expect(question.ask("Allow it?", unless: withdrawal) == nil)
        // A terminal gives what was written to it in pieces, and an error after its end.
        var seen = ""
        while !seen.contains("This is not asked any more.") {
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = try bytes.withUnsafeMutableBytes { try FileDescriptor(rawValue: master).read(into: $0) }
            try #require(count > 0, "\(seen)")
            seen += String(decoding: bytes[..<count], as: UTF8.self)
        }
    }
}
