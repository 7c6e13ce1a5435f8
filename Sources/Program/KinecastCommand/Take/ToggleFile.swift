// `kinecast record --toggle`: one call begins a take, the next one ends it. They find each other by a file.
import Glibc
import KineClient
import KinePlatform
import KineProgram
import KineTakes
import KineWire
import SystemPackage

/// The file `toggle` beside the registry of takes. One call at a time has its lock and decides. Its text is the id of the
/// take that the last call began, or one of the two words. The lock ends with its process.
struct ToggleFile: Sendable {
    // No id has an i or an o.
    /// The call that has the lock counts down. Another call cancels the countdown by writing `cancelled`, without the
    /// lock.
    static let counting = "counting"
    static let cancelled = "cancelled"

    /// The time between two looks at the lock, or at a countdown, in nanoseconds.
    static let interval: Int64 = 50_000_000
    /// The time for another call to begin or finish a take, in nanoseconds.
    private static let timeout: Int64 = 60_000_000_000
    /// The time for an engine to exit after its take, in nanoseconds.
    private static let engineGrace: Int64 = 10_000_000_000

    private let file: FileDescriptor

    /// Ends the take that the last toggle began, or cancels its countdown, and returns nil. Otherwise returns the locked
    /// file: the caller begins a take.
    static func toggle(json: Bool) throws -> ToggleFile? {
        let file = try ToggleFile()
        guard try file.lock() else {
            Terminal.standardError.line("The countdown is cancelled.")
            return nil
        }
        guard let take = try file.takeToEnd() else {
            file.text = ""
            return file
        }
        let engine = ProcessHandle(take.pid)
        let outcome = try AskedTake.connected(to: take.id).stop()
        // Before, the next call would find this take in the registry.
        engine?.waitForEnd(until: MonotonicClock.now() + engineGrace)
        try outcome.report(json: json)
        return nil
    }

    private init() throws {
        let path: FilePath
        do throws(TakeRegistry.Error) {
            path = try TakeRegistry.standard().common.appending("toggle")
        } catch {
            throw ClientError.registry(error)
        }
        do {
            file = try FileDescriptor.open(
                path, .readWrite, options: [.create, .closeOnExec, .noFollow], permissions: .ownerReadWrite)
        } catch {
            throw CommandFailure.cannotCreate(
                "\(path) cannot be opened (\(error)); remove it, or free some space there.")
        }
    }

    /// Waits for the lock. Returns false after it has cancelled another call's countdown instead.
    private func lock() throws(CommandFailure) -> Bool {
        let deadline = MonotonicClock.now() + Self.timeout
        while flock(file.rawValue, LOCK_EX | LOCK_NB) != 0 {
            guard MonotonicClock.now() < deadline else {
                throw CommandFailure.unavailable(
                    "Another toggle has not finished for a minute; kinecast status shows what runs.")
            }
            if text == Self.counting {
                text = Self.cancelled
                return false
            }
            _ = WakeSignal.poll([], until: MonotonicClock.now() + Self.interval)
        }
        return true
    }

    /// Lets the next call decide. Call once.
    func unlock() { try? file.close() }

    /// Empty if no toggle began a take, or if that is unknown.
    var text: String {
        get { String(decoding: file.contents(limit: 100) ?? [], as: UTF8.self) }
        nonmutating set {
            _ = ftruncate(file.rawValue, 0)
            _ = try? file.writeAll(toAbsoluteOffset: 0, newValue.utf8)
        }
    }
}

// The decision.
extension ToggleFile {
    /// The running take that a toggle ends; nil: the toggle begins one. `phases`: without the id of an engine that does
    /// not answer. Ending its take then reports that, with a remedy.
    static func choose(_ id: String, among running: [TakeRecord], _ phases: [String: TakePhase]) -> TakeRecord? {
        guard let take = running.first(where: { $0.id == id }) else { return nil }
        switch phases[take.id] {
        case .starting, .recording, .paused, nil: return take
        // The person ended it by other means, and wants the next one.
        case .finishing, .ended: return nil
        }
    }

    private func takeToEnd() throws(ClientError) -> TakeRecord? {
        let id = text
        var phases: [String: TakePhase] = [:]
        phases[id] = (try? KnownTakes.statuses(id))?.running.first { $0.0.id == id }?.1?.phase
        // Read again: an engine that has exited meanwhile has not answered either.
        return Self.choose(id, among: try KnownTakes.running(), phases)
    }
}
