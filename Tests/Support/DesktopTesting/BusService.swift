// A service on a bus, in the test's process: real objects with a name, on a thread of their own.
import CSDBus
import CoreTesting
import Glibc
import KineDesktop
import KinePlatform
import SystemPackage

/// A method call that a service received.
package struct ReceivedCall: Sendable, Equatable {
    /// The caller's unique name.
    package var sender: String
    package var path: String
    package var interface: String
    package var member: String
    package var arguments: [BusValue]
}

/// A signal that a service sends.
package struct EmittedSignal: Sendable, Equatable {
    package var path: String
    package var interface: String
    package var member: String
    package var values: [BusValue]

    package init(_ path: String, _ interface: String, _ member: String, _ values: [BusValue] = []) {
        (self.path, self.interface, self.member, self.values) = (path, interface, member, values)
    }
}

package enum Reply: Sendable {
    case values([BusValue])
    case error(name: String)
    /// The caller waits in vain.
    case silence
    /// The service leaves the bus, as a crash would make it.
    case death
    /// Signals before a reply, and others after it.
    indirect case surrounded([EmittedSignal], Reply, [EmittedSignal])
}

/// Answers calls until it is ended or released.
package final class BusService: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private enum Task: Sendable {
        case emit(EmittedSignal)
        case end
    }

    private struct Contents {
        var tasks: [Task] = []
        var calls: [ReceivedCall] = []
        /// Nil until the bus has answered whether the name is this service's.
        var isNamed: Bool?
        var hasEnded = false
    }

    private let contents = Monitor(Contents())
    private let wake = WakeSignal()

    /// Connects, takes the name and waits until it has it.
    ///
    /// - Parameter callerLeft: is called with the unique name of each connection that leaves the bus.
    package init(
        _ bus: TestBus, name: String, paths: [String], callerLeft: (@Sendable (String) -> Void)? = nil,
        answer: @escaping @Sendable (ReceivedCall) -> Reply
    ) throws {
        let (address, contents, wake) = (bus.address, contents, wake)
        _ = try DedicatedThread(starting: "service") {
            defer { contents.signal { $0.hasEnded = true } }
            guard let connection = try? BusConnection(address: address) else {
                return contents.signal { $0.isNamed = false }
            }
            for path in paths {
                try? connection.serve(path) { [weak connection] message in
                    if let connection { Self.received(message, connection, contents, wake, answer) }
                }
            }
            if let callerLeft {
                connection.match(
                    "type='signal',sender='\(BusDaemon.name)',interface='\(BusDaemon.name)',member='NameOwnerChanged'"
                ) { signal in
                    let texts = signal.arguments.compactMap(\.asString)
                    if texts.count == 3, texts[0].hasPrefix(":"), texts[2].isEmpty { callerLeft(texts[0]) }
                }
            }
            Self.request(name, connection, contents)
            Self.serve(connection, contents, wake)
        }
        let isNamed = contents.wait(until: WaitLimit.deadline()) { $0.isNamed }
        guard isNamed == true else { throw Failure(description: "the name \(name) could not be taken") }
    }

    deinit { end() }

    /// Asks again while a service that has left still has the name.
    private static func request(_ name: String, _ connection: BusConnection, _ contents: Monitor<Contents>) {
        connection.call(BusDaemon.method("RequestName", [.string(name), .uint32(4)])) { [weak connection] reply in
            switch (try? reply.get())?.first?.asUInt32 {
            case 1: contents.signal { $0.isNamed = true }
            case 3: if let connection { request(name, connection, contents) }
            default: contents.signal { $0.isNamed = false }
            }
        }
    }

    private static func serve(_ connection: BusConnection, _ contents: Monitor<Contents>, _ wake: WakeSignal) {
        while !connection.isClosed {
            connection.process()
            wake.clear()
            let tasks = contents.withLock { contents in
                defer { contents.tasks = [] }
                return contents.tasks
            }
            for task in tasks {
                guard case .emit(let signal) = task else { return }
                try? connection.emit(signal)
            }
            connection.process()
            var entries = wake.pollEntries + connection.pollEntries
            WakeSignal.poll(&entries, until: connection.nextDeadline)
        }
    }

    private static func received(
        _ message: OpaquePointer, _ connection: BusConnection, _ contents: Monitor<Contents>, _ wake: WakeSignal,
        _ answer: (ReceivedCall) -> Reply
    ) {
        let call = ReceivedCall(
            sender: sd_bus_message_get_sender(message).map { String(cString: $0) } ?? "",
            path: String(cString: sd_bus_message_get_path(message)),
            interface: sd_bus_message_get_interface(message).map { String(cString: $0) } ?? "",
            member: sd_bus_message_get_member(message).map { String(cString: $0) } ?? "",
            arguments: (try? BusMessage.values(of: message)) ?? [])
        // Before the answer: a test that has seen what follows from it looks for the call.
        contents.signal { $0.calls.append(call) }
        let reply = answer(call)
        if case .death = reply {
            contents.signal { $0.tasks.append(.end) }
            wake.signal()
        }
        try? connection.reply(reply, to: message)
    }

    package func emit(_ path: String, _ interface: String, _ member: String, _ values: [BusValue]) {
        emit(EmittedSignal(path, interface, member, values))
    }

    package func emit(_ signal: EmittedSignal) {
        contents.withLock { $0.tasks.append(.emit(signal)) }
        wake.signal()
    }

    /// The calls so far, in order.
    package var calls: [ReceivedCall] { contents.withLock { $0.calls } }

    /// Leaves the bus, as a crash would.
    package func end() {
        contents.withLock { $0.tasks.append(.end) }
        wake.signal()
        _ = contents.wait(until: WaitLimit.deadline()) { $0.hasEnded ? true : nil }
    }
}

extension BusConnection {
    fileprivate func emit(_ signal: EmittedSignal) throws(BusError) {
        try emit(signal.path, signal.interface, signal.member, signal.values)
    }

    fileprivate func reply(_ reply: Reply, to call: OpaquePointer) throws(BusError) {
        switch reply {
        case .silence, .death: return
        case .surrounded(let before, let reply, let after):
            for signal in before { try emit(signal) }
            try self.reply(reply, to: call)
            for signal in after { try emit(signal) }
        case .values(let values): try self.reply(BusReply.values(values), to: call)
        case .error(let name): try self.reply(BusReply.error(name: name, message: ""), to: call)
        }
    }
}
