// A frame receiver's thread, and the state that other threads can read.
import KineMedia
import KinePlatform
import KineTakes
import KineWire
import Synchronization
import SystemPackage

final class FrameReceiverLoop: Sendable {
    private let counter = FrameCounter()
    private let isEnding = Atomic<Bool>(false)
    private let wake = WakeSignal()

    init(
        _ request: FrameRequest, handler: @escaping FrameReceiver.Handler,
        tell: @escaping @Sendable (FrameReceiver.Event) -> Void, ended: @escaping @Sendable () -> Void
    ) throws(GroupError) {
        let registry: TakeRegistry
        do throws(TakeRegistry.Error) {
            registry = try .standard()
        } catch {
            throw .noDirectory("\(error)")
        }
        let watch = try GroupWatcher.shared.watch(registry.directory) { [wake] _ in wake.signal() }
        do throws(Errno) {
            // The thread retains this object until `end`.
            _ = try DedicatedThread(starting: "frames") { [self] in
                let reader = FrameReader(request, registry: registry, handler: handler, tell: tell, counter: counter)
                while !isEnding.load(ordering: .acquiring) { reader.turn(wake) }
                withExtendedLifetime(watch) {}
                ended()
            }
        } catch {
            throw .system(operation: "Starting the thread of a frame receiver", error)
        }
    }

    var counts: FrameReceiver.Counts { counter.counts }

    func end() {
        isEnding.store(true, ordering: .releasing)
        wake.signal()
    }
}

final class FrameCounter: Sendable {
    private let state = Mutex(FrameReceiver.Counts())

    var counts: FrameReceiver.Counts { state.withLock { $0 } }

    func change(_ body: (inout FrameReceiver.Counts) -> Void) { state.withLock { body(&$0) } }
}

extension FrameReceiver.Counts {
    /// Adds the losses that another process reports. They may be any number, so the sum saturates.
    mutating func addLost(frames: UInt64, audio: MediaTime) {
        let (sum, overflows) = framesLost.addingReportingOverflow(Int(clamping: frames))
        framesLost = overflows ? .max : sum
        audioLost += .nanoseconds(max(0, audio.nanoseconds))
    }
}
