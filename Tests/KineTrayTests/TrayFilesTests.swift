// The icon's files, the newest recordings, the entry of the autostart directory, and the lock of the one tray.
import CoreTesting
import Glibc
import KineMeasure
import KinePlatform
import KineProgram
import KineText
import SystemPackage
import Testing

@testable import KineTray

@Suite struct TrayFilesTests {
    @Test func `the newest five recordings are listed, each with a number that no other gets`() throws {
        try TemporaryDirectory.with { directory in
            func write(_ name: String, at seconds: Int) throws -> String {
                let path = directory.appending(name)
                try PrivateDirectory.write([], to: path)
                var times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
                guard utimensat(AT_FDCWD, path.cString, &times, 0) == 0 else { throw Errno(rawValue: errno) }
                return path.escaped
            }
            mkdir(directory.appending("Kinecast").cString, 0o700)
            var recordings = RecentRecordings(in: directory.appending("Kinecast"))
            recordings.refresh()
            #expect(recordings.entries.isEmpty)
            let files = try (1...6).map { try write("Kinecast/\($0).mp4", at: $0) }
            _ = try write("Kinecast/notes.txt", at: 9)
            recordings.refresh()
            #expect(recordings.entries.map(\.path) == files.suffix(5).reversed())
            let before = recordings.entries
            let elsewhere = try write("elsewhere.mp4", at: 7)
            unlink(files[5].cString)
            recordings.add([elsewhere, directory.appending("gone.mp4").escaped])
            recordings.refresh()
            #expect(recordings.entries.map(\.path) == [elsewhere] + files[1...4].reversed())
            #expect(recordings.entries.dropFirst().map(\.id) == before.dropFirst().map(\.id))
            #expect(!before.map(\.id).contains(recordings.entries[0].id))
        }
    }

    @Test func `without a directory for videos there are no recordings`() {
        var recordings = RecentRecordings(in: nil)
        recordings.refresh()
        #expect(recordings.entries.isEmpty)
    }

    @Test func `the entry starts kinecast tray with the desktop, and can be removed twice`() throws {
        try TemporaryDirectory.with { directory in
            let configuration = directory.appending("config")
            try Autostart.enable("/opt/my kine\"cast", in: configuration)
            let path = Autostart.path(in: configuration)
            let bytes = try #require(PrivateDirectory.contents(of: path, limit: 4096))
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.hasPrefix("[Desktop Entry]\nType=Application\n") && text.hasSuffix("Terminal=false\n"))
            #expect(text.contains("\nTryExec=/opt/my kine\"cast\n"))
            #expect(text.contains("\nExec=\"/opt/my kine\\\\\"cast\" tray\n"), "\(text)")
            try Autostart.enable("/usr/bin/kinecast", in: configuration)
            #expect(Autostart.entry("/usr/bin/100%").contains("\nExec=\"/usr/bin/100%%\" tray\n"))
            for _ in 0..<2 { try Autostart.disable(in: configuration) }
            #expect(PrivateDirectory.entries(path.removingLastComponent()) == [])
        }
    }

    @Test func `one tray has the lock until it ends`() throws {
        try TemporaryDirectory.with { directory in
            let lock = directory.appending("tray.lock")
            #expect(try InstanceLock.endRunning(lock) == .nothingRan)
            var first = try InstanceLock.claim(lock)
            #expect(first != nil)
            #expect(try InstanceLock.claim(lock) == nil)
            first = nil
            #expect(
                try InstanceLock.endRunning(lock) == .nothingRan, "the number of a tray that has ended gets no signal")
            first = try InstanceLock.claim(lock)
            #expect(first != nil)
        }
    }

    @Test func `kinecast and the icons of an installation and of a build are found`() throws {
        try TemporaryDirectory.with { directory in
            func make(_ name: String) throws -> String {
                var place = directory
                for part in name.split(separator: "/").dropLast() {
                    place = place.appending(String(part))
                    mkdir(place.cString, 0o700)
                }
                let path = directory.appending(name)
                try PrivateDirectory.write([], to: path)
                chmod(path.cString, 0o755)
                return path.escaped
            }
            let tray = FilePath(escaped: try make("libexec/kinecast/kinecast-tray"))
            let built = try make("libexec/kinecast/kinecast")
            #expect(ProgramLauncher.kinecast(beside: tray) == built)
            #expect(StatusItem.themes(above: tray) == nil)
            let installed = try make("bin/kinecast")
            _ = try make("share/icons/hicolor/symbolic/apps/org.kinecast.Kinecast-symbolic.svg")
            #expect(ProgramLauncher.kinecast(beside: tray) == installed)
            #expect(StatusItem.themes(above: tray) == directory.appending("share/icons"))
            let checkout = RunningCheckout.path
            let own = checkout.appending(".build/debug/kinecast-tray")
            #expect(StatusItem.themes(above: own) == checkout.appending("packaging/icons"))
        }
    }

    @Test func `the desktop entry has the same actions`() {
        let path = RunningCheckout.path.appending("packaging/org.kinecast.Kinecast.desktop")
        let entry = String(decoding: PrivateDirectory.contents(of: path, limit: 65536) ?? [], as: UTF8.self)
        let groups = entry.split(separator: "[Desktop Action ").dropFirst().map {
            $0.split(separator: "\n").dropFirst()
        }
        let own = DesktopAction.allCases.map {
            ["Name=\($0.title)", "Exec=kinecast \($0.arguments.joined(separator: " "))"]
        }
        #expect(
            Set(groups.map { $0.map(String.init) })
                == Set(own).union([["Name=Show in the Tray", "Exec=kinecast tray"]]))
    }

    @Test func `each condition has an icon of its own`() {
        let icons = RunningCheckout.path.appending("packaging/icons/hicolor/symbolic/apps")
        let files = TrayState.Condition.allCases.map { icons.appending("\(StatusItem.icon($0)).svg") }
        #expect(Set(files.compactMap(\.resolved)).count == files.count)
    }
}

enum RunningCheckout {
    /// The top of this package, from Tests/KineTrayTests/TrayFilesTests.swift on.
    static let path = (0..<3).reduce(into: FilePath(#filePath)) { path, _ in path.removeLastComponent() }
}
