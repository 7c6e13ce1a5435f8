// An app's connection with the studio's server, for one sheet: contents go out, the person's answers come in.
import KineClient
import KinePlatform
import KineWire
import Synchronization
import SystemPackage

/// Any thread may call.
final class StudioConversation: Sendable {
    typealias Connection = ControlConnection<StudioReply, StudioMessage>

    enum Reply: Sendable, Equatable {
        case answer(SheetAnswer)
        /// A sentence for the person.
        case failed(String)

        /// Whether nothing follows.
        fileprivate var isLast: Bool {
            switch self {
            case .answer(.service), .answer(.values): false
            case .answer, .failed: true
            }
        }
    }

    /// A request of the person about the recording.
    enum Work: Sendable {
        case perform(Int, SheetTask)
        case stop(Int)
    }

    private struct State {
        /// Gets the reply to the question that is shown.
        var answer: Promise<Reply>?
        /// Cancels the login or the countdown that is shown.
        var cancel: (@Sendable () -> Void)?
        /// Gets the tasks of a recording.
        var work: (@Sendable (Work) -> Void)?
        var end: Reply?
    }

    private let connection: Connection
    private let state = Mutex(State())

    /// Opens a window, whose server it starts if none runs.
    static func begin(_ app: SheetApp, on desktop: StudioDesktop) async throws(BroadcastError) -> StudioConversation {
        let (conversation, link) = try await BlockingCall.run("kine-studio") { () throws(BroadcastError) in
            let (connection, link) = try desktop.present(app)
            return (try StudioConversation(connection), link)
        }
        // The server reports whether a window appears. An early failure of the browser says more.
        Task {
            do throws(BroadcastError) { try await desktop.open(link) } catch {
                conversation.received(.failed(error.message))
                conversation.close()
            }
        }
        return conversation
    }

    /// Reads replies until the connection ends.
    init(_ connection: Connection) throws(BroadcastError) {
        self.connection = connection
        do throws(Errno) {
            _ = try DedicatedThread(starting: "kine-sheet") { [self] in read() }
        } catch {
            throw .noThread(name: "kine-sheet", error)
        }
    }

    /// The last reply; nil while the sheet goes on.
    var end: Reply? { state.withLock { $0.end } }

    /// Shows a question and waits for its answer; nil if the task is cancelled first.
    ///
    /// - Parameter work: called on the conversation's thread with what the person wants done until then.
    func ask(_ prompt: SheetPrompt, work: (@Sendable (Work) -> Void)? = nil) async -> Reply? {
        let answer = Promise<Reply>()
        let end = state.withLock { state in
            (state.answer, state.cancel, state.work) = (answer, nil, work)
            return state.end
        }
        if let end { return end }
        send(.show(prompt))
        return await answer.value()
    }

    /// Shows what needs no answer. Calls `cancel` if the person cancels, or closes the window.
    func show(_ prompt: SheetPrompt, cancel: (@Sendable () -> Void)? = nil) {
        let end = state.withLock { state in
            (state.answer, state.cancel) = (nil, cancel)
            return state.end
        }
        if end == nil { send(.show(prompt)) } else { cancel?() }
    }

    /// Ends the sheet.
    func close() {
        send(.close)
        connection.close()
    }

    func send(_ message: StudioMessage) {
        // A connection that has ended is found when it is read.
        if let problem = connection.deliver(message) { received(.failed(problem)) }
    }

    private func read() {
        while !connection.isClosed {
            PollLoop.wait(for: connection)
            guard let replies = try? connection.readAvailable() else { break }
            for reply in replies {
                switch reply {
                case .answer(let answer): received(.answer(answer))
                case .refused(let sentence): received(.failed(sentence))
                case .perform(let number, let task): state.withLock { $0.work }?(.perform(number, task))
                case .stop(let number): state.withLock { $0.work }?(.stop(number))
                case .link: break
                }
            }
        }
        received(.failed("The studio has ended while its window was shown; try again."))
    }

    private func received(_ reply: Reply) {
        let (answer, cancel) = state.withLock { state -> (Promise<Reply>?, (@Sendable () -> Void)?) in
            guard state.end == nil else { return (nil, nil) }
            if reply.isLast { (state.end, state.work) = (reply, nil) }
            defer { (state.answer, state.cancel) = (nil, nil) }
            return (state.answer, reply.isLast ? state.cancel : nil)
        }
        answer?.fulfil(reply)
        cancel?()
    }
}
