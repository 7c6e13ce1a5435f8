// A watcher that the kernel leaves without events.
import CoreTesting
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage
import Testing

@testable import KinecastExchange

@Suite struct GroupWatcherTests {
    @Test(.tags(.slow)) func `a directory that is replaced while events are lost is watched again`() throws {
        let temporary = try TemporaryDirectory()
        let directory = FilePath(temporary.path)
        let watched = directory.appending("watched")
        try #require(mkdir(watched.string, 0o700) == 0)
        let changes = Monitor([DirectoryChange]())
        let mayGoOn = Monitor(false)
        let watch = try GroupWatcher.shared.watch(watched) { change in
            changes.signal { $0.append(change) }
            _ = mayGoOn.wait(until: .max) { $0 ? true : nil }
        }
        func write(_ name: String) { close(open(watched.appending(name).string, O_CREAT | O_WRONLY, 0o600)) }
        write("first")
        let limit = Int(ProcFiles.read("/proc/sys/fs/inotify/max_queued_events").filter(\.isNumber)) ?? 16384
        // Equal events one after the other would become one.
        for number in 0...limit { write(number % 2 == 0 ? "even" : "odd") }
        try #require(rename(watched.string, directory.appending("aside").string) == 0)
        try #require(mkdir(watched.string, 0o700) == 0)
        mayGoOn.signal { $0 = true }
        let deadline = MonotonicClock.now() + Tool.timeout
        #expect(changes.wait(until: deadline) { $0.contains(.several) ? true : nil } == true)
        write("last")
        #expect(changes.wait(until: deadline) { $0.contains(.written("last")) ? true : nil } == true)
        withExtendedLifetime((watch, temporary)) {}
    }
}
