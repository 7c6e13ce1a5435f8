// Connects all code in an extension's process with its engine. KinecastExtension sets it up; KinecastExchange, which
// apps link too, uses it to find out whether it runs in an extension.
import KineRings
import Synchronization
import SystemPackage

/// An extension's link to its engine, except for samples and the handler's own reports. May be called from any thread.
package final class EngineLink: Sendable {
    private struct State {
        var send: (@Sendable (ExtensionReport) -> Void)?
        var start: ExtensionStart?
        var receiver: StreamReceiver?
        var receivers: [@Sendable (ExtensionRequest, [FileDescriptor]) -> Bool] = []
        /// Requests that came before a receiver was added, and their descriptors.
        var early: [(request: ExtensionRequest, descriptors: [FileDescriptor])] = []
    }

    /// The link of this process.
    package static let shared = EngineLink()

    private let state = Mutex(State())

    package init() {}

    /// Whether this process is an extension.
    package var isExtension: Bool { state.withLock { $0.send != nil } }

    /// The engine's first message; nil before it has come, and always in an app.
    package var start: ExtensionStart? { state.withLock { $0.start } }

    /// The memory of the samples; nil until the engine's first message has come.
    package var receiver: StreamReceiver? { state.withLock { $0.receiver } }

    /// Sends a report. Does nothing in an app.
    package func send(_ report: ExtensionReport) { state.withLock { $0.send }?(report) }

    /// Adds a receiver of the engine's requests, including earlier ones. `receive` is called on the control thread or
    /// on this one, must not block, and returns whether it handles the request; it then owns the descriptors.
    package func receive(_ receive: @escaping @Sendable (ExtensionRequest, [FileDescriptor]) -> Bool) {
        // Each request belongs to one receiver, so it is removed before it is offered.
        let early = state.withLock { state in
            state.receivers.append(receive)
            defer { state.early = [] }
            return state.early
        }
        for (request, descriptors) in early where !receive(request, descriptors) {
            state.withLock { $0.early.append((request, descriptors)) }
        }
    }

    // MARK: For KinecastExtension

    package func connect(send: @escaping @Sendable (ExtensionReport) -> Void) { state.withLock { $0.send = send } }

    package func started(_ start: ExtensionStart, receiver: StreamReceiver? = nil) {
        state.withLock { state in
            state.start = start
            state.receiver = receiver
        }
    }

    /// Takes ownership of the descriptors.
    package func received(_ request: ExtensionRequest, descriptors: [FileDescriptor]) {
        var asked = 0
        while true {
            let more = state.withLock { state -> ArraySlice<@Sendable (ExtensionRequest, [FileDescriptor]) -> Bool> in
                // Also ask a receiver that was added meanwhile.
                let more = state.receivers[asked...]
                guard more.isEmpty else { return more }
                if state.early.count >= 64 {
                    for descriptor in state.early.removeFirst().descriptors { try? descriptor.close() }
                }
                state.early.append((request, descriptors))
                return more
            }
            if more.isEmpty { return }
            for receive in more where receive(request, descriptors) { return }
            asked += more.count
        }
    }
}
