// Many viewers who read a long response and throw it away, in one process; a few of them note when each sample came.
import ArgumentParser
import CEpoll
import CLinux
import Glibc
import KineMeasure
import KinePlatform

/// Run by `viewers` as a process of its own, so that what the viewers cost is not the server's.
struct CrowdReaderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "viewers-crowd", abstract: "Reads a long response as many viewers.", shouldDisplay: false)

    @Option(help: "The server's port on 127.0.0.1.")
    var port: UInt16

    @Option(help: "What to ask for.")
    var path = "/samples"

    @Option(help: "The token of the page's link.")
    var token = ""

    @Option(help: "How many.")
    var viewers = 200

    @Option(help: "How long, once all are served.")
    var seconds = 10.0

    @Option(help: "CLOCK_MONOTONIC nanoseconds at which the take's timeline began; 0: no delay is noted.")
    var origin: Int64 = 0

    /// How many of them note delays; they lie evenly among the others.
    private static let timed = 20
    /// Nanoseconds for which the readers look for more before they sleep. Waking them for each write would be up to half of the
    /// server's account on a virtual machine, and is nothing that a server pays for viewers elsewhere.
    private static let wakefulness: Int64 = 200_000

    private struct Viewer {
        let descriptor: Int32
        var received = 0
        var isServed = true
        /// Of those who note delays.
        var reader: RecordReader?
    }

    /// Prints `connected N` once all are served, and at the end an account: its frames are the viewers that were served to the end.
    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let poll = epoll_create1(0)
        let stride = max(1, viewers / Self.timed)
        var crowd: [Viewer] = []
        for number in 0..<viewers {
            let isTimed = origin > 0 && number % stride == stride / 2
            crowd.append(Viewer(descriptor: try connect(), reader: isTimed ? RecordReader() : nil))
            var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: UInt64(number)))
            epoll_ctl(poll, EPOLL_CTL_ADD, crowd[number].descriptor, &event)
        }
        var account = TransferReport()
        let timeout = deadline(in: 60)
        while MonotonicClock.now() < timeout, crowd.contains(where: { $0.isServed && $0.received == 0 }) {
            read(&crowd, poll, until: MonotonicClock.now() + 10_000_000) { _, _ in }
        }
        print("connected \(crowd.count(where: \.isServed))")
        fflush(nil)
        let begin = MonotonicClock.now()
        let before = crowd.map(\.received)
        read(&crowd, poll, until: deadline(in: seconds)) { record, now in
            let sent = origin + record.time * 1000
            if record.isSample, sent >= begin { account.delays.append(now - sent) }
        }
        account.frames = crowd.count(where: \.isServed)
        account.processorNanoseconds = processorNanoseconds()
        let received = zip(crowd, before).map { $0.received - $1 }
        account.movedBytes = received.reduce(0, +)
        account.notes["least"] = "\(received.min() ?? 0)"
        print(account.text, terminator: "")
    }

    /// Reads all that comes until CLOCK_MONOTONIC reaches `end`, and calls `body` with each record of those who note delays.
    private func read(
        _ crowd: inout [Viewer], _ poll: Int32, until end: Int64, _ body: (RecordReader.Record, Int64) -> Void
    ) {
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
                // Nobody looks at the others' bytes: the kernel throws them away itself (tcp(7), MSG_TRUNC).
                let isRead = isFirst || crowd[number].reader != nil
                let descriptor = crowd[number].descriptor
                let size = recv(descriptor, &chunk, chunk.count, isRead ? 0 : Int32(MSG_TRUNC))
                guard size > 0, !isFirst || chunk.starts(with: "HTTP/1.1 200 ".utf8) else {
                    crowd[number].isServed = false
                    close(descriptor)
                    continue
                }
                crowd[number].received += size
                let now = MonotonicClock.now()
                chunk.withUnsafeBytes { bytes in
                    crowd[number].reader?.read(UnsafeRawBufferPointer(rebasing: bytes[..<size])) { body($0, now) }
                }
            }
        }
    }

    private func connect() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        let request = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nKinecast-Token: \(token)\r\n\r\n"
        guard status == 0, send(descriptor, request, request.utf8.count, 0) == request.utf8.count else {
            throw ValidationError("Nobody answers on port \(port).")
        }
        return descriptor
    }
}
