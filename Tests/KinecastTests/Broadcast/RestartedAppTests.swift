// An app that is killed in the middle of its broadcast, and started again: processes of their own, with the public library alone.
import CoreTesting
import FoundationEssentials
import Glibc
import KineClient
import KineMeasure
import KinePlatform
import SystemPackage
import Testing

@testable import Kinecast

@Suite(.tags(.real, .extensions)) struct RestartedAppTests {
    private let place: BroadcastPlace

    init() throws { place = try BroadcastPlace() }

    /// Runs the app, which writes what it says to a file.
    private func run(_ arguments: [String], saying file: String) throws -> ChildProcess {
        let output = try FileDescriptor.open(
            FilePath(place.folder.file(file)), .readWrite, options: [.create, .append],
            permissions: .ownerReadWrite)
        defer { try? output.close() }
        var options = ChildProcess.Options()
        options.descriptors = [nil, output, .standardError]
        return try ChildProcess(
            executable: try Tool.sibling("kinecast-broadcaster"), arguments: [place.app.identifier] + arguments,
            environment: ProcessEnvironment.current.filter { !$0.hasPrefix("KINECAST_ENGINE=") }
                + ["KINECAST_ENGINE=\(place.folder.file("kinecast-engine"))"], options: options)
    }

    private func words(_ file: String) -> String {
        (try? String(contentsOfFile: place.folder.file(file), encoding: .utf8)) ?? ""
    }

    @Test func `an app that is killed finds its broadcast again, controls and finishes it`() async throws {
        let first = try run(["start", "witness", "key=w_1234567"], saying: "first")
        try await wait(for: "the broadcast") {
            try #require(!words("first").contains("failed"), "\(words("first"))")
            return words("first").contains("started")
        }
        _ = first.end(signal: SIGKILL, deadline: MonotonicClock.now() + 300_000_000_000)
        let record = try #require(try await place.takes().first)
        #expect(words("first").contains("started \(record.id)"))
        #expect(await KnownTakes.status(of: record)?.phase == .recording, "the take goes on")
        let second = try run(["find"], saying: "second")
        #expect(
            second.end(signal: 0, deadline: MonotonicClock.now() + 300_000_000_000) == .exited(status: 0))
        #expect(words("second") == "found \(record.id) of witness\npaused true\nfinished\ndone\n")
        try await place.waitForNoTake()
    }
}
