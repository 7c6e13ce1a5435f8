// Many viewers of the live page in one process: sockets that read the stream and throw it away.
import ArgumentParser
import CLinux
import Glibc
import KineMeasure
import KinePlatform

/// Where a broadcast is served.
struct LiveAddress {
    let isEncrypted: Bool
    let host: String
    let port: UInt16
    /// The request for the stream, as the page sends it.
    let request: String

    /// Reads the link that `kinecast broadcast` prints; nil where it is not one of this machine's own.
    init?(link: String) {
        guard let link = LiveLink(link) else { return nil }
        let parts = link.base.split(separator: "/")
        guard parts.count == 2, parts[0] == "http:" || parts[0] == "https:" else { return nil }
        let authority = parts[1].split(separator: ":")
        guard authority.count == 2, authority[0] == "127.0.0.1", let port = UInt16(authority[1]) else { return nil }
        isEncrypted = parts[0] == "https:"
        host = String(parts[1])
        self.port = port
        request =
            "GET /live.mp4 HTTP/1.1\r\nHost: \(host)\r\nAccept: */*\r\nKinecast-Token: \(link.token)\r\n\r\n"
    }
}

/// Run by `broadcast` as a process of its own, so that what the viewers cost is not the bench's.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Watches a live page as many viewers.", shouldDisplay: false)

    @Argument(help: "The page's link.", transform: WatchCommand.address)
    var page: LiveAddress?

    @Option(help: "A file in which the link will appear.")
    var linkIn: String?

    @Option(help: "How many.")
    var viewers = 50

    @Option(help: "How long.")
    var seconds = 10.0

    /// Prints `connected N`, and at the end `viewers N least BYTES bytes BYTES`: how many were served to the end, what the
    /// one that got least got, and all together.
    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        var limit = rlimit(rlim_cur: 4096, rlim_max: 4096)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard let page = try page ?? waitForLink() else { throw ValidationError("Which page?") }
        var sockets = try (0..<viewers).map { _ in try WatchCommand.connect(page) }
        print("connected \(viewers)")
        fflush(nil)
        var received = [Int](repeating: 0, count: viewers)
        let end = MonotonicClock.now() + Int64(seconds * 1e9)
        var chunk = [UInt8](repeating: 0, count: 262_144)
        while MonotonicClock.now() < end, sockets.contains(where: { $0.fd >= 0 }) {
            WakeSignal.poll(&sockets, until: end)
            for index in sockets.indices where sockets[index].revents != 0 {
                let count = recv(sockets[index].fd, &chunk, chunk.count, 0)
                let isRefused = received[index] == 0 && !chunk.starts(with: "HTTP/1.1 200 ".utf8)
                if count > 0, !isRefused {
                    received[index] += count
                } else {
                    close(sockets[index].fd)
                    sockets[index].fd = -1
                }
            }
        }
        let served = sockets.indices.filter { sockets[$0].fd >= 0 }.count
        print("viewers \(served) least \(received.min() ?? 0) bytes \(received.reduce(0, +))")
    }

    /// Looks into the file until the link is there (a minute at most); its writer sends no event.
    private func waitForLink() throws -> LiveAddress? {
        guard let linkIn else { return nil }
        let end = MonotonicClock.now() + 60_000_000_000
        while MonotonicClock.now() < end {
            let words = ProcFiles.read(linkIn).split { $0 == " " || $0 == "\n" }
            if let address = words.lazy.compactMap({ LiveAddress(link: String($0)) }).first { return address }
            usleep(20_000)
        }
        throw ValidationError("No link to a live page appeared in \(linkIn).")
    }

    private static func connect(_ page: LiveAddress) throws -> pollfd {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = page.port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0, send(descriptor, page.request, page.request.utf8.count, 0) == page.request.utf8.count else {
            throw ValidationError("Nobody answers at \(page.host).")
        }
        return pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    }

    @Sendable
    private static func address(_ text: String) throws -> LiveAddress {
        guard let address = LiveAddress(link: text) else {
            throw ValidationError("“\(text)” is not the link of a live page on 127.0.0.1.")
        }
        return address
    }
}
