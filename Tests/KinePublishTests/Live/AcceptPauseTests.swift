// A listening channel pauses, and accepts connections again afterwards.
import CoreTesting
import Glibc
import NIOCore
import NIOPosix
import Testing

@testable import KinePublish

@Suite(.timeLimit(.minutes(10)), .tags(.real)) struct AcceptPauseTests {
    private let accepted: AsyncStream<any Channel>
    private let accept: AsyncStream<any Channel>.Continuation

    init() { (accepted, accept) = AsyncStream.makeStream() }

    private func listen() async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptPause(rest: .milliseconds(20)))
                }
            }
            .childChannelInitializer { [accept] channel in
                accept.yield(channel)
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    private func connect(to channel: any Channel) async throws -> any Channel {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(to: try #require(channel.localAddress)).get()
    }

    /// Whether the channel still reads right after that error. Afterwards a connection is accepted in any case.
    private func reads(after code: Int32) async throws -> Bool {
        let channel = try await listen()
        // In one turn of the loop, so that the pause cannot be over before the check.
        let reads = try await channel.eventLoop.flatSubmit {
            channel.pipeline.fireErrorCaught(IOError(errnoCode: code, reason: "accept"))
            return channel.getOption(.autoRead)
        }.get()
        let client = try await connect(to: channel)
        for await _ in accepted { break }
        try await client.close()
        try await channel.close()
        return reads
    }

    @Test(arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM])
    func `without descriptors or memory it pauses and then accepts again`(_ code: Int32) async throws {
        #expect(try await !reads(after: code))
    }

    @Test func `a connection that is gone already is no reason to pause`() async throws {
        #expect(try await reads(after: ECONNABORTED))
    }
}
