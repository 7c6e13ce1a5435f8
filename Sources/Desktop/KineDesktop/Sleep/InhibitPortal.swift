// The portal's Inhibit (org.freedesktop.portal.Inhibit), by the process `kinecast-engine --inhibit`: a portal reads /proc of the process
// that asks, and refuses one that is not dumpable, as engines are not.
import Glibc
import KinePlatform
import SystemPackage

/// An inhibition that lasts as long as its own process, which ends with the process that started it.
public enum InhibitPortal {
    /// Nanoseconds for the process to end.
    private static let timeout: Int64 = 1_000_000_000

    /// Answers before the portal does: whether that one grants the inhibition changes nothing here.
    static func service(_ inhibition: SleepInhibition, _ answer: @escaping (SleepInhibitor.Release?) -> Void) {
        guard let path = ExecutableSearch.own, let pipe = try? FileDescriptor.pipe() else { return answer(nil) }
        defer { try? pipe.readEnd.close() }
        var options = ChildProcess.Options()
        options.descriptors = [pipe.readEnd, nil, .standardError]
        // Suspend is 4, idle 8. Other users could read the reason among the arguments.
        let order = [inhibition.keepsScreenOn ? 12 : 4] + Array(inhibition.why.utf8)
        guard (try? pipe.writeEnd.writeAll(order)) != nil,
            let process = try? ChildProcess(
                executable: path, arguments: ["--inhibit"], environment: ProcessEnvironment.current, options: options)
        else {
            try? pipe.writeEnd.close()
            return answer(nil)
        }
        answer({
            try? pipe.writeEnd.close()
            _ = process.end(deadline: MonotonicClock.now() + timeout)
        })
    }

    /// Runs the process: asks the portal, which ends the inhibition with this connection to the bus. Returns when standard input ends.
    public static func hold() {
        var order = [UInt8](repeating: 0, count: 4096)
        let count = read(STDIN_FILENO, &order, order.count)
        guard count > 0, let address = BusAddresses.find().session, let bus = try? BusConnection(address: address)
        else { return }
        var call = BusCall(
            Portal.name, path: Portal.path, interface: "org.freedesktop.portal.Inhibit", "Inhibit",
            [
                .string(""), .uint32(UInt32(order[0])),
                .properties(["reason": .string(String(decoding: order[1..<count], as: UTF8.self))]),
            ])
        call.startsService = false
        bus.call(call) { _ in }
        while !bus.isClosed {
            bus.process()
            var entries = [pollfd(fd: STDIN_FILENO, events: 0, revents: 0)] + bus.pollEntries
            WakeSignal.poll(&entries, until: bus.nextDeadline)
            if entries[0].revents != 0 { return }
        }
    }
}
