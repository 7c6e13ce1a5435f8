// Many viewers of the live page over TLS in one process, and hostile peers that try to cost memory.
import ArgumentParser
import Glibc
import KineMeasure
import KinePlatform
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// Run by `viewers` as a process of its own, so that what the viewers cost is not the bench's.
struct HostileCrowdCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crowd", abstract: "Watches a live page over TLS as many viewers, some of them hostile.",
        shouldDisplay: false)

    @Argument(help: "The link of a page on 127.0.0.1.")
    var page: LiveAddress

    @Option(help: "How many.")
    var viewers = 500

    @Option(help: "How many more who want to cost memory.")
    var hostile = 100

    @Option(help: "How long.")
    var seconds = 10.0

    /// Prints `connected N`, and at the end an account, as `viewers-crowd` does.
    func run() throws {
        var limit = rlimit(rlim_cur: 4096, rlim_max: 4096)
        _ = setrlimit(__rlimit_resource_t(7), &limit)  // RLIMIT_NOFILE, which is not imported
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        let context = try NIOSSLContext(configuration: tls)
        let members = (0..<viewers).map { _ in Member() }
        for member in members { Self.connect(.viewer, member, to: page, context) }
        let end = MonotonicClock.now() + 60_000_000_000
        while !members.allSatisfy(\.isServed), MonotonicClock.now() < end {
            FrameRhythm.sleep(until: MonotonicClock.now() + 20_000_000)
        }
        // Hostile peers come from another address than the viewers.
        for number in 0..<hostile {
            Self.connect(Role.strangers[number % Role.strangers.count], Member(), to: page, context)
        }
        print("connected \(members.count(where: \.isServed))")
        fflush(nil)
        let before = members.reduce(0) { $0 + $1.received }
        FrameRhythm.sleep(until: deadline(in: seconds))
        var account = TransferReport()
        account.movedBytes = members.reduce(-before) { $0 + $1.received }
        account.frames = members.count(where: \.isServed)
        print(account.text, terminator: "")
    }

    enum Role {
        case viewer
        /// Opens a connection and says nothing.
        case silent
        /// Is ready to encrypt, and then sends half a request.
        case half
        /// Asks with a wrong token, again and again.
        case guessing
        /// Asks as a viewer does, and reads nothing.
        case deaf

        static let strangers = [silent, half, guessing, deaf]
    }

    /// The state of one viewer. Its event loop writes it.
    final class Member: Sendable {
        private let state = Mutex((received: 0, isServed: false))

        var received: Int { state.withLock { $0.received } }
        /// It was answered, and its connection is open.
        var isServed: Bool { state.withLock { $0.isServed } }

        func note(_ bytes: Int) { state.withLock { $0 = ($0.received + bytes, true) } }
        func end() { state.withLock { $0.isServed = false } }
    }

    /// Those who have been thrown out connect again, if they are hostile.
    private static func connect(_ role: Role, _ member: Member, to page: LiveAddress, _ context: NIOSSLContext) {
        let request =
            switch role {
            case .viewer, .deaf: page.request()
            case .silent: ""
            case .half: String(page.request().prefix(40))
            case .guessing: "GET /live.mp4 HTTP/1.1\r\nHost: \(page.host)\r\nKinecast-Token: guess\r\n\r\n"
            }
        let group = MultiThreadedEventLoopGroup.singleton
        var bootstrap = ClientBootstrap(group: group)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if role != .silent {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: context, serverHostname: nil))
                    }
                    try channel.pipeline.syncOperations.addHandler(
                        PeerHandler(request, isDeaf: role == .deaf, member))
                }
            }
        if role != .viewer, let own = try? SocketAddress(ipAddress: "127.0.0.2", port: 0) {
            bootstrap = bootstrap.bind(to: own)
        }
        bootstrap.connect(host: "127.0.0.1", port: Int(page.port)).whenComplete { result in
            let again = { @Sendable in
                member.end()
                guard role != .viewer else { return }
                _ = group.next().scheduleTask(in: .milliseconds(100)) { connect(role, member, to: page, context) }
            }
            switch result {
            case .success(let channel): channel.closeFuture.whenComplete { _ in again() }
            case .failure: again()
            }
        }
    }

    /// One connection's end: asks, counts, and throws away.
    private final class PeerHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let request: String
        private let isDeaf: Bool
        private let member: Member

        init(_ request: String, isDeaf: Bool, _ member: Member) {
            (self.request, self.isDeaf, self.member) = (request, isDeaf, member)
        }

        func channelActive(context: ChannelHandlerContext) {
            if !request.isEmpty {
                context.writeAndFlush(NIOAny(ByteBuffer(string: request)), promise: nil)
            }
            context.fireChannelActive()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = unwrapInboundIn(data)
            if member.received == 0, buffer.getString(at: buffer.readerIndex, length: 12) != "HTTP/1.1 200" {
                return context.close(promise: nil)
            }
            member.note(buffer.readableBytes)
            if isDeaf { _ = context.channel.setOption(.autoRead, value: false) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
