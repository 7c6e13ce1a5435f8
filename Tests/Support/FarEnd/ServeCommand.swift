// kinecast-farend: the other end of a network under test. A server that reports when everything arrived, and a link that delays
// packets. The server checks every byte that a publisher sends, and prints a line for each access unit.
import ArgumentParser
import CLinux
import Glibc
import KineMeasure
import KinePlatform
import RTMPTesting
import SystemPackage

@main
struct FarEndCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kinecast-farend", abstract: "The other end of a network under test.",
        subcommands: [ServeCommand.self, CarryCommand.self])
}

struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Receives RTMP streams and prints when each sample came.",
        discussion: """
            Prints `listening PORT`, then the lines of FarEndLine. Times are nanoseconds of CLOCK_MONOTONIC. Ends when it is
            killed, when its output is closed, or when its standard input, a pipe, is closed.
            """)

    @Option(help: "The IPv4 address to listen at.")
    var address = "127.0.0.1"

    @Option(help: "The port; 0 for any free one.")
    var port = 0

    @Flag(help: "Accept connections and never read from them.")
    var deaf = false

    /// All connections are served by one thread.
    private final class Connection {
        let number: Int
        let descriptor: Int32
        var server = StrictRTMPServer()
        var isLive = false

        init(number: Int, descriptor: Int32) {
            self.number = number
            self.descriptor = descriptor
        }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let (listener, port) = try listen()
        try say("listening \(port)")
        var connections: [Connection] = []
        var count = 0
        while true {
            var entries = [
                pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
                // poll reports a hang-up even without a requested event.
                pollfd(fd: STDIN_FILENO, events: 0, revents: 0),
            ]
            if !deaf {
                entries += connections.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            }
            guard poll(&entries, nfds_t(entries.count), -1) > 0 else { continue }
            if entries[1].revents & Int16(POLLHUP) != 0 { return }
            var over: Set<Int> = []
            for (connection, entry) in zip(connections, entries.dropFirst(2)) where entry.revents != 0 {
                if try !serve(connection) { over.insert(connection.number) }
            }
            for connection in connections where over.contains(connection.number) { close(connection.descriptor) }
            connections.removeAll { over.contains($0.number) }
            if entries[0].revents != 0 {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { continue }
                connections.append(Connection(number: count, descriptor: descriptor))
                try say(.opened(connection: count, at: MonotonicClock.now()))
                count += 1
            }
        }
    }

    /// Reads what has come; false when the connection is over.
    private func serve(_ connection: Connection) throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(connection.descriptor, &buffer, buffer.count, 0)
        let now = MonotonicClock.now()
        guard count > 0 else {
            try say(
                .closed(connection: connection.number, at: now, isOrderly: connection.server.phase == .deleted))
            return false
        }
        do {
            let answer = try connection.server.receive(buffer[..<count])
            try Self.send(answer, to: connection.descriptor)
        } catch {
            try say(.violation(connection: connection.number, at: now, "\(error)"))
            return false
        }
        if !connection.isLive, connection.server.phase >= .metadata {
            connection.isLive = true
            try say(.live(connection: connection.number, at: now))
        }
        for message in connection.server.removeMedia() {
            let isVideo = message.type == 9
            // Only samples: no metadata, no sequence headers.
            guard message.type != 18, message.payload.count > 1, message.payload[1] == 1 else { continue }
            try say(
                .unit(
                    ArrivedUnit(
                        connection: connection.number, arrival: now, isVideo: isVideo,
                        isKeyframe: isVideo && message.payload[0] >> 4 == 1, time: Int64(message.timestamp),
                        byteCount: message.payload.count)))
        }
        return true
    }

    /// Answers are small: if they block, the publisher does not read.
    private static func send(_ bytes: [UInt8], to descriptor: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            // Reading finds out that the publisher has gone.
            if count < 0, errno == EPIPE || errno == ECONNRESET { return }
            guard count > 0 else { throw StrictRTMPServer.Violation("the publisher does not read") }
            rest = rest.dropFirst(count)
        }
    }

    private func listen() throws -> (descriptor: Int32, port: Int) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var one: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        guard inet_pton(AF_INET, self.address, &address.sin_addr) == 1 else {
            throw ValidationError("“\(self.address)” is no IPv4 address.")
        }
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) | Glibc.listen(listener, 16) | getsockname(listener, $0, &length)
            }
        }
        guard listener >= 0, status == 0 else {
            throw Tool.Error.system(doing: "Listening at \(self.address):\(port)", Errno(rawValue: errno))
        }
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    private func say(_ line: FarEndLine) throws { try say(line.text) }

    /// Without buffering, so that the reader is up to date.
    private func say(_ line: String) throws { try FileDescriptor.standardOutput.writeAll((line + "\n").utf8) }
}
