// Many viewers who read a long response and throw it away, in one process.
import ArgumentParser
import CEpoll
import CLinux
import Glibc
import KineMeasure
import KinePlatform

/// The address that serves a broadcast.
struct LiveAddress: ExpressibleByArgument {
    let host: String
    let port: UInt16
    let token: String

    /// Reads the link that `kinecast broadcast` prints; nil where it is not one of this machine's own.
    init?(link: String) {
        guard let link = LiveLink(link) else { return nil }
        let parts = link.base.split(separator: "/")
        guard parts.count == 2, parts[0] == "http:" || parts[0] == "https:" else { return nil }
        let authority = parts[1].split(separator: ":")
        guard authority.count == 2, authority[0] == "127.0.0.1", let port = UInt16(authority[1]) else { return nil }
        host = String(parts[1])
        self.port = port
        token = link.token
    }

    init?(argument: String) { self.init(link: argument) }

    /// The request for a stream, as the page sends it.
    func request(_ path: String = "/live.mp4") -> String {
        "GET \(path) HTTP/1.1\r\nHost: \(host)\r\nAccept: */*\r\nKinecast-Token: \(token)\r\n\r\n"
    }
}

/// Run by `viewers` as a process of its own, so that what the viewers cost is not the server's.
struct CrowdReaderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "viewers-crowd", abstract: "Reads a long response as many viewers.", shouldDisplay: false)

    @Argument(help: "The link of a page on 127.0.0.1.")
    var page: LiveAddress

    @Option(help: "What to ask for.")
    var path = "/samples"

    @Option(help: "How many.")
    var viewers = 200

    @Option(help: "How long, once all are served.")
    var seconds = 10.0

    /// Nanoseconds for which the readers look for more before they sleep. Waking them for each write would be up to half of the
    /// server's account on a virtual machine, and is nothing that a server pays for viewers elsewhere.
    private static let wakefulness: Int64 = 200_000

    private struct Viewer {
        let descriptor: Int32
        var received = 0
        var isServed = true
    }

    /// Prints `connected N` once all are served, and at the end an account: its frames are the viewers that were served to the end.
    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let poll = epoll_create1(0)
        var crowd: [Viewer] = []
        for number in 0..<viewers {
            crowd.append(Viewer(descriptor: try connect()))
            var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: UInt64(number)))
            epoll_ctl(poll, EPOLL_CTL_ADD, crowd[number].descriptor, &event)
        }
        let timeout = deadline(in: 60)
        while MonotonicClock.now() < timeout, crowd.contains(where: { $0.isServed && $0.received == 0 }) {
            read(&crowd, poll, until: MonotonicClock.now() + 10_000_000)
        }
        print("connected \(crowd.count(where: \.isServed))")
        fflush(nil)
        let before = crowd.map(\.received)
        read(&crowd, poll, until: deadline(in: seconds))
        var account = TransferReport()
        account.frames = crowd.count(where: \.isServed)
        account.movedBytes = zip(crowd, before).reduce(0) { $0 + $1.0.received - $1.1 }
        print(account.text, terminator: "")
    }

    /// Reads all that comes until CLOCK_MONOTONIC reaches `end`.
    private func read(_ crowd: inout [Viewer], _ poll: Int32, until end: Int64) {
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        var chunk = [UInt8](repeating: 0, count: 262_144)
        var newest: Int64 = 0
        while true {
            let now = MonotonicClock.now()
            guard now < end else { return }
            let timeout = now - newest < Self.wakefulness ? 0 : Int32((end - now + 999_999) / 1_000_000)
            let count = epoll_wait(poll, &events, Int32(events.count), timeout)
            if count > 0 { newest = MonotonicClock.now() }
            for event in events.prefix(Int(max(0, count))) {
                let number = Int(event.data.u64)
                let isFirst = crowd[number].received == 0
                // Nobody looks at later bytes: the kernel throws them away itself (tcp(7), MSG_TRUNC).
                let descriptor = crowd[number].descriptor
                let size = recv(descriptor, &chunk, chunk.count, isFirst ? 0 : Int32(MSG_TRUNC))
                guard size > 0, !isFirst || chunk.starts(with: "HTTP/1.1 200 ".utf8) else {
                    crowd[number].isServed = false
                    close(descriptor)
                    continue
                }
                crowd[number].received += size
            }
        }
    }

    private func connect() throws -> Int32 {
        let descriptor = try Loopback.connect(to: Int(page.port)).rawValue
        let request = page.request(path)
        guard send(descriptor, request, request.utf8.count, 0) == request.utf8.count else {
            throw ValidationError("Nobody answers at \(page.host).")
        }
        return descriptor
    }
}

extension HeldProcess {
    /// Many viewers of one page.
    static func crowd(_ link: String, path: String = "/samples", viewers: Int, seconds: Double) throws -> HeldProcess {
        try HeldProcess(
            "kinecast-bench",
            ["viewers-crowd", link, "--path", path, "--viewers", "\(viewers)", "--seconds", "\(seconds)"])
    }
}
