// A service on a bus, in the test's process: real objects with a name, on a thread of their own.
import CSDBus
import Glibc
import KineDesktop
import KinePlatform
import SystemPackage

/// A method call that a service received.
package struct ReceivedCall: Sendable, Equatable {
    package var path: String
    package var interface: String
    package var member: String
    package var arguments: [BusValue]
}

package enum Reply: Sendable {
    case values([BusValue])
    case error(name: String)
    /// The caller waits in vain.
    case silence
}

/// Answers calls until it is ended or released.
package final class BusService: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private enum Task: Sendable {
        case emit(path: String, interface: String, member: String, [BusValue])
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
    package init(
        _ bus: TestBus, name: String, paths: [String], answer: @escaping @Sendable (ReceivedCall) -> Reply
    ) throws {
        let (address, contents, wake) = (bus.address, contents, wake)
        _ = try DedicatedThread(starting: "service") {
            defer { contents.signal { $0.hasEnded = true } }
            guard let connection = try? BusConnection(address: address) else {
                return contents.signal { $0.isNamed = false }
            }
            for path in paths {
                try? connection.serve(path) { [weak connection] message in
                    if let connection { Self.received(message, connection, contents, answer) }
                }
            }
            Self.request(name, connection, contents)
            Self.serve(connection, contents, wake)
        }
        let isNamed = contents.wait(until: MonotonicClock.now() + 300_000_000_000) { $0.isNamed }
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
                guard case .emit(let path, let interface, let member, let values) = task else { return }
                try? connection.emit(path, interface, member, values)
            }
            connection.process()
            var entries = [pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0), connection.pollEntry]
            WakeSignal.poll(&entries, until: connection.nextDeadline)
        }
    }

    private static func received(
        _ message: OpaquePointer, _ connection: BusConnection, _ contents: Monitor<Contents>,
        _ answer: (ReceivedCall) -> Reply
    ) {
        let call = ReceivedCall(
            path: String(cString: sd_bus_message_get_path(message)),
            interface: sd_bus_message_get_interface(message).map { String(cString: $0) } ?? "",
            member: sd_bus_message_get_member(message).map { String(cString: $0) } ?? "",
            arguments: (try? BusMessage.values(of: message)) ?? [])
        // Before the answer: a test that has seen what follows from it looks for the call.
        contents.signal { $0.calls.append(call) }
        try? connection.reply(answer(call), to: message)
    }

    package func emit(_ path: String, _ interface: String, _ member: String, _ values: [BusValue]) {
        contents.withLock { $0.tasks.append(.emit(path: path, interface: interface, member: member, values)) }
        wake.signal()
    }

    /// The calls so far, in order.
    package var calls: [ReceivedCall] { contents.withLock { $0.calls } }

    /// Leaves the bus, as a crash would.
    package func end() {
        contents.withLock { $0.tasks.append(.end) }
        wake.signal()
        _ = contents.wait(until: MonotonicClock.now() + 300_000_000_000) { $0.hasEnded ? true : nil }
    }
}

extension BusConnection {
    fileprivate func emit(
        _ path: String, _ interface: String, _ member: String, _ values: [BusValue]
    ) throws(BusError) {
        var created: OpaquePointer?
        try BusMessage.check("new_signal", sd_bus_message_new_signal(bus, &created, path, interface, member))
        guard let created else { return }
        defer { sd_bus_message_unref(created) }
        try BusMessage.append(values, to: created)
        try BusMessage.check("send", sd_bus_send(nil, created, nil))
    }

    fileprivate func reply(_ reply: Reply, to call: OpaquePointer) throws(BusError) {
        var created: OpaquePointer?
        switch reply {
        case .silence: return
        case .values(let values):
            try BusMessage.check("new_method_return", sd_bus_message_new_method_return(call, &created))
            if let created { try BusMessage.append(values, to: created) }
        case .error(let name):
            let result = name.withCString { name in
                var error = sd_bus_error(name: name, message: nil, _need_free: 0)
                return sd_bus_message_new_method_error(call, &created, &error)
            }
            try BusMessage.check("new_method_error", result)
        }
        guard let created else { return }
        defer { sd_bus_message_unref(created) }
        try BusMessage.check("send", sd_bus_send(nil, created, nil))
    }
}
