// Requests of any thread or task to the thread that runs `Takes`.
import Glibc
import KinePlatform
import KineTakes
import KineWire

/// May be called from any thread, but for `deliver`, which belongs to the thread of `Takes`.
package final class TakeRequests: PollSource, Sendable {
    private struct Entry: Sendable {
        let request: ClientRequest
        let take: String
        let answer = Promise<Result<TakeReply, ClientError>>()
    }

    private let entries = Mailbox<Entry>()

    package init() {}

    /// Readable when `deliver` has something to do.
    package var pollEntries: [pollfd] { entries.pollEntries }

    /// Asks the engine of a running take, by its id, and waits for its reply; see `Takes.send`.
    @discardableResult
    package func send(_ request: ClientRequest, to take: String) async throws(ClientError) -> TakeReply {
        let entry = Entry(request: request, take: take)
        guard entries.post(entry) else { throw .takeIsOver }
        guard let result = await entry.answer.value() else { throw .cancelled }
        return try result.get()
    }

    /// Passes the requests on.
    ///
    /// - Parameter now: nanoseconds of CLOCK_MONOTONIC.
    package func deliver(to takes: Takes, at now: Int64) {
        for entry in entries.drain() {
            takes.send(entry.request, to: entry.take, at: now) { entry.answer.fulfil($0.mapError { ClientError($0) }) }
        }
    }
}
