// Excerpts that end early: on a full disk, or by a person's word.
import CoreTesting
import FoundationEssentials
import Glibc
import KineClient
import KineMeasure
import KinePlatform
import KineWire
import ProcessTesting
import Synchronization
import SystemPackage
import Testing

@testable import KineStudio

@Suite(.tags(.real, .programs)) struct ExcerptTests {
    @Test func `an excerpt that a full disk ends, or a person, leaves no file and the recording as it was`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let home = try RecordedHome(directory)
        let reports = Mutex<[JobProgress]>([])
        let jobs = Jobs { report in reports.withLock { $0.append(report) } }
        let engine = RunningKinecast.sibling("kinecast-engine")
        for (script, state) in [
            ("ulimit -f 8; exec '\(engine)' \"$@\"", JobProgress.State.failed),
            // The list is read by an engine, too.
            (
                """
                input=$(cat)
                case $input in *'"contents"'*) printf %s "$input" | '\(engine)' "$@"; exit;; esac
                echo '{"progress":0.5}'
                exec sleep 1000
                """, .cancelled
            ),
        ] {
            let library = try home.library(engine: "#!/bin/sh\n\(script)\n")
            let id = try #require(library.listing().recordings.first).id
            for replaces in [false, true] {
                let excerpt = Excerpt(from: 0.25, to: 1.75, name: "part", replaces: replaces)
                let job = try await library.trim(id, excerpt, jobs) {}
                if state == .cancelled {
                    try await wait(for: "progress") { reports.withLock { $0.last?.fraction } == 0.5 }
                    #expect(jobs.cancel(job))
                }
                try await wait(for: "the end") { jobs.count == 0 && reports.withLock { $0.last?.state } != .running }
                let end = try #require(reports.withLock { $0.last })
                #expect(end.state == state && end.job == job)
                if state == .failed { #expect(end.message?.contains("allows no larger file") == true, "\(end)") }
                #expect(PrivateDirectory.entries(FilePath(directory.file("Videos"))) == ["a.mp4"])
                #expect(try Tool.contents(of: directory.file("Videos/a.mp4")) == home.bytes)
            }
        }
    }

    /// A directory with one recording.
    private struct RecordedHome {
        let directory: TemporaryDirectory
        let bytes: [UInt8]

        init(_ directory: TemporaryDirectory) throws {
            self.directory = directory
            mkdir(directory.file("Videos"), 0o700)
            try TestPlace.with { place in
                let ended = try place.run(
                    [
                        "record", place.path("a.mp4"), "--pattern", "320x240", "--duration", "2",
                        "--keyframe-interval", "1",
                    ])
                try #require(ended.status == 0, "\(ended)")
                try Tool.write(
                    try Tool.contents(of: place.path("a.mp4")), to: directory.file("Videos/a.mp4"),
                    permissions: .ownerReadWrite)
            }
            bytes = try Tool.contents(of: directory.file("Videos/a.mp4"))
        }

        /// - Parameter engine: a script, which runs instead of the engine.
        func library(engine: String) throws -> Library {
            let path = directory.file("engine")
            try Tool.write(Array(engine.utf8), to: path, permissions: [.ownerReadWriteExecute])
            return Library(
                Library.Places(videos: directory.file("Videos"), apps: directory.file("apps")),
                RecordingEditor(EngineLocator(named: path)))
        }
    }
}
