// One take that a program asks, such as a command: waits for each answer, on the thread that calls.
import KinePlatform
import KineWire

/// Used on one thread.
package final class AskedTake {
    private let take: TakeConnection

    package var record: TakeRecord { take.view.record }

    /// Connects to the engine of a running take.
    package init(_ record: TakeRecord, in registry: TakeRegistry) throws(TakeRegistry.Error) {
        take = TakeConnection(record)
        try take.connect(registry, at: MonotonicClock.now())
    }

    /// - Parameters:
    ///   - typed: the take's id or a unique beginning of it; nil: the only running take.
    ///   - hasClips: if nothing is typed, and several takes run: the only one of them that keeps its last moments.
    package convenience init(
        _ typed: String?, in registry: TakeRegistry, hasClips: Bool = false
    ) throws(TakeRegistry.Error) {
        try self.init(hasClips ? Self.withClips(typed, registry) : registry.find(typed), in: registry)
    }

    private static func withClips(
        _ typed: String?, _ registry: TakeRegistry
    ) throws(TakeRegistry.Error) -> TakeRecord {
        do throws(TakeRegistry.Error) {
            return try registry.find(typed)
        } catch .ambiguous(nil, let takes) {
            let buffering = takes.filter { $0.clipBuffer != nil }
            guard let only = buffering.first, buffering.count == 1 else {
                throw .ambiguous(nil, buffering.isEmpty ? takes : buffering)
            }
            return only
        }
    }

    /// The statuses of running takes. Nil: the engine does not answer in time.
    ///
    /// - Parameter timeout: nanoseconds, for all.
    package static func statuses(
        of records: [TakeRecord], in registry: TakeRegistry, within timeout: Int64
    ) -> [TakeStatus?] {
        let deadline = MonotonicClock.now() + timeout
        var statuses = [TakeStatus?](repeating: nil, count: records.count)
        var left = records.count
        let takes = records.map(TakeConnection.init)
        for (index, take) in takes.enumerated() {
            try? take.connect(registry, at: MonotonicClock.now())
            take.send(.status, until: deadline) { answer in
                left -= 1
                if case .status(let status)? = try? answer.get().reply { statuses[index] = status }
            }
        }
        while left > 0 {
            let open = takes.filter { $0.connection != nil }
            PollLoop.wait(for: open)
            for take in open { _ = take.process(at: MonotonicClock.now()) }
        }
        return statuses
    }

    /// Asks the engine and waits for its reply, for `stop` until the take has ended. A request that a person or a disk can delay has more
    /// time, while the engine sends messages.
    ///
    /// - Parameter timeout: nanoseconds.
    package func reply(
        to request: ClientRequest, within timeout: Int64 = Takes.timeout
    ) throws(RequestError) -> TakeReply {
        var answer: Result<TakeReply, RequestError>?
        take.send(request, until: MonotonicClock.now() + timeout) { answer = $0 }
        while true {
            if let answer { return try answer.get() }
            PollLoop.wait(for: take)
            _ = take.process(at: MonotonicClock.now())
        }
    }
}
