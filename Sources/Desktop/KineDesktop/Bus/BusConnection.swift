// A connection to a bus, for a thread that polls. Calls return at once; answers and signals come while `process` runs.
import CSDBus
import Glibc
import KinePlatform
import SystemPackage

/// A method of an object on the bus, with its arguments.
public struct BusCall: Sendable, Equatable {
    public var destination: String
    public var path: String
    public var interface: String
    public var member: String
    public var arguments: [BusValue]
    /// Whether the bus may start a service that does not run.
    public var startsService = true

    public init(
        _ destination: String, path: String, interface: String, _ member: String, _ arguments: [BusValue] = []
    ) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }
}

/// A signal of an object on the bus.
public struct BusSignal: Sendable, Equatable {
    /// The unique name of the connection that sent it; the bus guarantees it.
    public var sender: String
    public var path: String
    public var interface: String
    public var member: String
    public var arguments: [BusValue]
}

/// Used on one thread.
public final class BusConnection: PollSource {
    public typealias Answer = Result<[BusValue], BusError>

    /// Microseconds to wait for an answer. A service that asks a person answers at once, and signals the result later.
    private static let timeout: UInt64 = 25_000_000

    package let bus: OpaquePointer
    private var waiting: [ObjectIdentifier: Waiting] = [:]
    public private(set) var isClosed = false

    /// The handler of a callback of libsystemd.
    private final class Waiting {
        unowned let connection: BusConnection
        var slot: OpaquePointer?
        let handle: (OpaquePointer) -> Void
        /// Called if the connection ends first.
        let abandon: () -> Void

        init(
            _ connection: BusConnection, abandon: @escaping () -> Void = {}, _ handle: @escaping (OpaquePointer) -> Void
        ) {
            self.connection = connection
            self.abandon = abandon
            self.handle = handle
        }
    }

    /// Starts to connect, without waiting. Calls made before the bus has answered are sent afterwards.
    public init(address: String) throws(BusError) {
        guard kine_load_sdbus() != 0 else { throw .noLibrary }
        var new: OpaquePointer?
        guard sd_bus_new(&new) >= 0, let new else { throw .system(call: "sd_bus_new", .noMemory) }
        bus = new
        var result = sd_bus_set_address(bus, address)
        if result >= 0 { result = sd_bus_set_bus_client(bus, 1) }
        if result >= 0 { result = sd_bus_negotiate_fds(bus, 1) }
        if result >= 0 { result = sd_bus_start(bus) }
        guard result >= 0 else {
            isClosed = true
            throw .unreachable(Errno(rawValue: -result))
        }
    }

    deinit {
        for one in waiting.values { sd_bus_slot_unref(one.slot) }
        sd_bus_close_unref(bus)
    }

    /// For poll; a negative descriptor once the connection is closed.
    public var pollEntries: [pollfd] {
        guard !isClosed else { return [pollfd(fd: -1, events: 0, revents: 0)] }
        return [pollfd(fd: sd_bus_get_fd(bus), events: Int16(max(0, sd_bus_get_events(bus))), revents: 0)]
    }

    /// The latest instant to call `process`, nanoseconds of CLOCK_MONOTONIC; nil: after poll returns.
    public var nextDeadline: Int64? {
        var microseconds: UInt64 = 0
        guard !isClosed, sd_bus_get_timeout(bus, &microseconds) >= 0 else { return nil }
        return microseconds < UInt64(Int64.max / 1000) ? Int64(microseconds) * 1000 : nil
    }

    /// The name that the bus gave this connection, such as `:1.42`; nil before that.
    public var uniqueName: String? {
        var name: UnsafePointer<CChar>?
        // sd_bus_get_unique_name would wait for a bus that has not answered yet.
        guard !isClosed, sd_bus_is_ready(bus) > 0, sd_bus_get_unique_name(bus, &name) >= 0 else { return nil }
        return Self.text(name)
    }

    /// Sends and receives without waiting, and calls the handlers. Call it whenever the thread wakes.
    public func process() {
        while !isClosed {
            let result = sd_bus_process(bus, nil)
            if result == 0 { return }
            if result < 0 { isClosed = true }
        }
        // The outstanding calls get no answer any more.
        let left = waiting
        waiting = [:]
        for one in left.values {
            sd_bus_slot_unref(one.slot)
            one.abandon()
        }
    }

    /// Calls a method. Calls `answer` once, unless the connection is released first.
    public func call(_ call: BusCall, answer: @escaping (Answer) -> Void) {
        do throws(BusError) { try send(call, answer) } catch { answer(.failure(error)) }
    }

    private func send(_ call: BusCall, _ answer: @escaping (Answer) -> Void) throws(BusError) {
        guard !isClosed else { throw .closed }
        var created: OpaquePointer?
        try BusMessage.check(
            "sd_bus_message_new_method_call",
            sd_bus_message_new_method_call(
                bus, &created, call.destination, call.path, call.interface, call.member))
        guard let message = created else { throw .malformed }
        defer { sd_bus_message_unref(message) }
        if !call.startsService { _ = sd_bus_message_set_auto_start(message, 0) }
        try BusMessage.append(call.arguments, to: message)
        let one = Waiting(self) {
            answer(.failure(.closed))
        } _: { [unowned self] reply in
            // When the connection ends, libsystemd answers outstanding calls itself, as if the other side were silent.
            answer(sd_bus_is_open(bus) > 0 ? Self.answer(in: reply) : .failure(.closed))
        }
        try BusMessage.check(
            "sd_bus_call_async",
            sd_bus_call_async(bus, &one.slot, message, Self.answered, pointer(one), Self.timeout))
        waiting[ObjectIdentifier(one)] = one
    }

    /// Calls `handler` for each signal that matches the rule (D-Bus Specification, "Match Rules").
    public func match(_ rule: String, handler: @escaping (BusSignal) -> Void) {
        let one = Waiting(self) { message in
            guard let values = try? BusMessage.values(of: message) else { return }
            handler(
                BusSignal(
                    sender: Self.text(sd_bus_message_get_sender(message)),
                    path: Self.text(sd_bus_message_get_path(message)),
                    interface: Self.text(sd_bus_message_get_interface(message)),
                    member: Self.text(sd_bus_message_get_member(message)), arguments: values))
        }
        // Without this callback, the connection would end if the bus refused the rule.
        let result = sd_bus_add_match_async(bus, &one.slot, rule, Self.received, { _, _, _ in 0 }, pointer(one))
        if result >= 0 { waiting[ObjectIdentifier(one)] = one }
    }

    /// Calls `handler` for each method call to the object and those below it while the connection lives.
    package func serve(_ path: String, handler: @escaping (OpaquePointer) -> Void) throws(BusError) {
        let one = Waiting(self, handler)
        try BusMessage.check(
            "sd_bus_add_fallback",
            sd_bus_add_fallback(
                bus, &one.slot, path,
                { message, data, _ in
                    _ = BusConnection.received(message, data, nil)
                    return 1
                }, pointer(one)))
        waiting[ObjectIdentifier(one)] = one
    }

    private static let answered: sd_bus_message_handler_t = { message, data, _ in
        guard let message, let data else { return 0 }
        let one = Unmanaged<Waiting>.fromOpaque(data).takeUnretainedValue()
        one.connection.waiting[ObjectIdentifier(one)] = nil
        one.handle(message)
        sd_bus_slot_unref(one.slot)
        return 1
    }

    private static let received: sd_bus_message_handler_t = { message, data, _ in
        guard let message, let data else { return 0 }
        Unmanaged<Waiting>.fromOpaque(data).takeUnretainedValue().handle(message)
        return 0
    }

    private static func answer(in message: OpaquePointer) -> Answer {
        if let error = sd_bus_message_get_error(message), error.pointee.name != nil {
            return .failure(
                .refused(name: text(error.pointee.name), message: text(error.pointee.message)))
        }
        do throws(BusError) {
            return .success(try BusMessage.values(of: message))
        } catch {
            return .failure(error)
        }
    }

    private func pointer(_ one: Waiting) -> UnsafeMutableRawPointer { Unmanaged.passUnretained(one).toOpaque() }

    static func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
}
