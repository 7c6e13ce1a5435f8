// What a person at a terminal sees, and a pipe does not.
import Glibc
import SystemPackage
import Testing

@Suite(.serialized, .tags(.real, .programs)) struct TerminalTests {
    /// Both ends of a pseudo terminal.
    func pseudoTerminal() throws -> (master: FileDescriptor, slave: FileDescriptor) {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var locked: Int32 = 0
        var number: Int32 = 0
        // TIOCSPTLCK and TIOCGPTN (ioctl_tty(2)), whose macros Swift cannot read.
        guard master >= 0, ioctl(master, 0x4004_5431, &locked) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
            throw Errno(rawValue: errno)
        }
        let slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard slave >= 0 else { throw Errno(rawValue: errno) }
        return (FileDescriptor(rawValue: master), FileDescriptor(rawValue: slave))
    }

    /// All that was written to a terminal which its programs have left.
    static func text(of master: FileDescriptor) -> String {
        var text = ""
        var chunk = [UInt8](repeating: 0, count: 65536)
        // The end is an error, EIO.
        while let count = try? chunk.withUnsafeMutableBytes({ try master.read(into: $0) }), count > 0 {
            text += String(decoding: chunk[..<count], as: UTF8.self)
        }
        return text
    }

    @Test(arguments: [false, true])
    func `a terminal gets a progress line that is rewritten, and the summary below it`(isVerbose: Bool) throws {
        try TestPlace.with { place in
            let (master, slave) = try pseudoTerminal()
            defer { try? master.close() }
            let take = try place.start(
                ["record", "a.mp4", "--pattern", "320x240", "--duration", "2.5"] + (isVerbose ? ["-v"] : []),
                terminal: slave)
            try slave.close()
            let ended = try take.wait()
            #expect(ended.status == 0)
            #expect(ended.output == "")
            let shown = Self.text(of: master)
            let lines = shown.split(separator: "\r\n")
            #expect(lines.count == 2, "\(shown)")
            #expect(lines.first?.hasPrefix("Recording 320x240 to \(place.path("a.mp4")) as ") == true)
            let rewritten = lines.last.map { $0.split(separator: "\r\u{1b}[K") } ?? []
            #expect(!rewritten.dropLast().isEmpty, "\(shown)")
            // A dot, the time and the size with its unit; frames a second, unchanged and dropped ones.
            for line in rewritten.dropLast() {
                #expect(line.hasPrefix("● 0:0") && line.hasSuffix(" dropped") == isVerbose, "\(shown)")
                #expect(line.split(separator: " ").count == (isVerbose ? 10 : 4), "\(shown)")
            }
            // The last frame may begin half a frame after the asked end, and lasts for a frame.
            let ends = ["2.5 s", "2.6 s"].map { "Saved \(place.path("a.mp4")): \($0)" }
            #expect(ends.contains { rewritten.last?.hasPrefix($0) == true }, "\(shown)")
        }
    }

    /// Starts a take whose events go to a pipe that is full already, and returns the end to read it from.
    private func startUnread(_ place: TestPlace, _ arguments: String) throws -> (RunningKinecast, FileDescriptor) {
        let pipe = try FileDescriptor.pipe()
        let flags = fcntl(pipe.writeEnd.rawValue, F_GETFL)
        _ = fcntl(pipe.writeEnd.rawValue, F_SETFL, flags | O_NONBLOCK)
        while (try? pipe.writeEnd.writeAll("\n".utf8)) != nil {}
        _ = fcntl(pipe.writeEnd.rawValue, F_SETFL, flags)
        let command = "exec \(RunningKinecast.executable) record a.mp4 --pattern 320x240 --json \(arguments) >&2"
        let take = try RunningKinecast(
            arguments: ["-c", command], environment: place.environment, directory: place.directory,
            terminal: pipe.writeEnd, executable: "/bin/sh")
        try pipe.writeEnd.close()
        try wait("the recording to begin") { size(place.path("a.mp4")) != nil }
        return (take, pipe.readEnd)
    }

    private func size(_ path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_size : nil
    }

    @Test func `a reader of the events that has stopped keeps no signal from ending the take`() throws {
        try TestPlace.with { place in
            let (take, pipe) = try startUnread(place, "")
            defer { try? pipe.close() }
            let begun = size(place.path("a.mp4")) ?? 0
            try wait("a fragment") { size(place.path("a.mp4")) ?? 0 > begun }
            take.process.signal(SIGINT)
            #expect(try take.wait().status == 0)
        }
    }

    @Test func `without a signal the last summary waits for its reader`() throws {
        try TestPlace.with { place in
            let (take, pipe) = try startUnread(place, "--duration 0.5")
            defer { try? pipe.close() }
            try wait("the take to end") { try place.registry().list().running.isEmpty }
            let text = String(decoding: try pipe.readToEnd(atMost: 1 << 20), as: UTF8.self)
            let events = RunningKinecast.Event.all(in: text)
            #expect(
                events.first { $0.event != "opening" }?.event == "started" && events.last?.event == "summary",
                "\(events)")
            #expect(try take.wait().status == 0)
        }
    }

    @Test func `a pipe gets the summary and nothing else, also with verbose`() throws {
        try TestPlace.with { place in
            let ended = try place.run("record", "a.mp4", "--pattern", "320x240", "--duration", "2.5", "--verbose")
            #expect(ended.output == "")
            #expect(ended.errors.split(separator: "\n").count == 1, "\(ended)")
        }
    }
}
