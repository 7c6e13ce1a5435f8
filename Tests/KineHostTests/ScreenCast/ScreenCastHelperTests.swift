// The process that casts the screen for an engine: the real executable, a real bus, and a portal's objects on it.
import CoreTesting
import DesktopTesting
import Glibc
import KineDesktop
import KineMeasure
import KinePlatform
import KineWire
import ProcessTesting
import SystemPackage
import Testing

@testable import KineHost
@testable import KineTake

@Suite(.tags(.real)) struct ScreenCastHelperTests {
    private static let application = "org.example.Recorder"

    /// A helper of the test's process.
    private final class Cast {
        let helper: ScreenCastHelper
        private(set) var cast: ScreenCast?

        init(
            _ place: TestPlace, _ bus: TestBus?, _ target: ScreenCastRequest.Target = .monitor,
            application: String = ScreenCastHelperTests.application, asksAnew: Bool = false,
            monitor: ScreenCastOrder.Monitor? = nil, variables: [String] = []
        ) throws {
            let bus = bus.map { ["DBUS_SESSION_BUS_ADDRESS=\($0.address)"] } ?? []
            helper = try ScreenCastHelper(
                ScreenCastOrder(
                    ScreenCastRequest(target, showsCursor: true), application: application, asksAnew: asksAnew,
                    monitor: monitor),
                executable: FilePath(try Tool.sibling("kinecast-engine")),
                environment: ProcessEnvironment.merging(place.environment, bus + variables))
        }

        deinit { try? cast?.remote.close() }

        func step() throws {
            if let cast = try helper.processEvents() { self.cast = cast }
            _ = WakeSignal.poll([helper.descriptor], until: MonotonicClock.now() + 5_000_000)
        }

        func wait(_ what: String, until condition: () -> Bool) throws {
            try CoreTesting.wait(what) {
                try step()
                return condition()
            }
        }

        @discardableResult
        func open() throws -> ScreenCast {
            try wait("the cast") { cast != nil }
            return try #require(cast)
        }

        /// Waits for the end, and returns its reason.
        func fail() throws -> ScreenCastHelper.Error {
            do {
                try wait("the end") { false }
            } catch let error as ScreenCastHelper.Error {
                return error
            }
            throw WaitedInVain(description: "the end")
        }
    }

    private func tokens(_ place: TestPlace) -> FilePath {
        place.directory.appending(".local/state/kinecast/screen-cast")
    }

    private func token(_ place: TestPlace, _ name: String = "\(application).monitor") -> String? {
        PrivateDirectory.contents(of: tokens(place).appending(name), limit: 1000)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private func mode(_ path: FilePath) -> UInt32? {
        var status = stat()
        return lstat(path.string, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    private func withPortal(
        _ person: StandInPortal.Person = .agrees, _ body: (TestPlace, TestBus, StandInPortal) throws -> Void
    ) throws {
        try TestPlace.with { place in
            let bus = try TestBus()
            let portal = try StandInPortal(bus) { $0.person = person }
            try body(place, bus, portal)
            withExtendedLifetime(portal) {}
        }
    }

    // MARK: The cast

    @Test func `the engine gets the stream and PipeWire's descriptor, and releasing the cast ends it`() throws {
        try withPortal { place, bus, portal in
            var cast: Cast? = try Cast(place, bus)
            let opened = try #require(try cast?.open())
            #expect(opened.stream.node == StandInPortal.node && opened.stream.cursorMode == .metadata)
            #expect(opened.stream.size == .init(width: 1920, height: 1080) && opened.stream.target == .monitor)
            #expect(try Tool.readAll(opened.remote) == Array(StandInPortal.greeting.utf8))
            #expect(fcntl(opened.remote.rawValue, F_GETFD) & FD_CLOEXEC != 0, "no other process gets it")
            #expect(opened.problem == nil)
            let pid = try #require(cast?.helper.pid)
            #expect(portal.openSessions == 1)
            cast = nil
            #expect(kill(pid, 0) != 0, "the process is gone and reaped")
            try wait("the session's end") { portal.openSessions == 0 }
        }
    }

    @Test func `the person is asked once for each application and kind of source, unless they are to be asked anew`()
        throws
    {
        try withPortal { place, bus, portal in
            let rounds: [(ScreenCastRequest.Target, String, Bool, questions: Int)] = [
                (.monitor, Self.application, false, 1), (.monitor, Self.application, false, 1),
                (.window, Self.application, false, 2), (.monitor, "kinecast", false, 3),
                (.monitor, Self.application, true, 4), (.monitor, Self.application, false, 4),
                (.window, Self.application, false, 4),
            ]
            var last: String?
            for (target, application, asksAnew, questions) in rounds {
                let cast = try Cast(place, bus, target, application: application, asksAnew: asksAnew)
                try cast.open()
                #expect(portal.questions == questions)
                let token = self.token(place, "\(application).\(target.rawValue)")
                #expect(token != nil && token != last)
                last = token
            }
            #expect(mode(tokens(place)) == 0o700)
            let files = PrivateDirectory.entries(tokens(place))
            #expect(files.count == 3 && files.allSatisfy { mode(tokens(place).appending($0)) == 0o600 })
        }
    }

    @Test func `a monitor that was named has a permission of its own, which is not kept where another is shown`() throws
    {
        try withPortal { place, bus, portal in
            let shown = ScreenCastOrder.Monitor(name: "DP-1", position: .init(x: 0, y: 0))
            let other = ScreenCastOrder.Monitor(name: "DP-2", position: .init(x: 1920, y: 0))
            let unplaced = ScreenCastOrder.Monitor(name: "HDMI A/1", position: nil)
            let rounds: [(ScreenCastOrder.Monitor?, questions: Int, isKept: Bool)] = [
                (nil, 1, true), (shown, 2, true), (shown, 2, true), (other, 3, false), (other, 4, false),
                (unplaced, 5, true), (unplaced, 5, true), (shown, 5, true), (nil, 5, true),
            ]
            for (monitor, questions, isKept) in rounds {
                let opened = try Cast(place, bus, monitor: monitor).open()
                #expect(portal.questions == questions)
                if isKept {
                    #expect(opened.problem == nil)
                } else {
                    #expect(opened.problem?.contains("shows another monitor than DP-2") == true)
                }
            }
            let name = "\(Self.application).monitor"
            #expect(
                Set(PrivateDirectory.entries(tokens(place))) == [name, "\(name)@DP-1", "\(name)@HDMI%20A%2f1"])
            // A portal that does not tell where the monitor lies may well show it.
            portal.change { $0.properties["position"] = nil }
            #expect(try Cast(place, bus, monitor: other).open().problem == nil)
            #expect(token(place, "\(name)@DP-2") != nil)
        }
    }

    @Test func `a token that the portal refuses is replaced, and one that is used up without another is removed`()
        throws
    {
        try withPortal { place, bus, portal in
            let store = RestoreTokens(directory: tokens(place))
            try store.keep("nonsense", of: Self.application, .monitor)
            try Cast(place, bus).open()
            let token = try #require(self.token(place))
            #expect(token.hasPrefix("token-") && portal.questions == 1)
            portal.change { $0.givesTokens = false }
            try Cast(place, bus).open()
            #expect(self.token(place) == nil && portal.questions == 1)
            try Cast(place, bus).open()
            #expect(portal.questions == 2)
        }
    }

    // MARK: The person, and the engine

    @Test func `giving up takes the dialog away, and the process ends`() throws {
        try withPortal(.hesitates) { place, bus, portal in
            let cast = try Cast(place, bus)
            try cast.wait("the dialog") { portal.isDialogShown }
            cast.helper.giveUp()
            #expect(throws: ScreenCastHelper.Error.givenUp) { try cast.helper.processEvents() }
            try wait("the dialog's end") { !portal.isDialogShown && portal.openSessions == 0 }
            #expect(portal.closedRequests.count == 1 && portal.closedSessions.count == 1)
        }
    }

    @Test func `a cast that the desktop ends is the take's natural end, once it had begun`() throws {
        try withPortal { place, bus, portal in
            let cast = try Cast(place, bus)
            try cast.open()
            portal.closeSessions()
            let error = try cast.fail()
            #expect(error == .closed && error.videoSourceError == .screenCastClosed)
            #expect(throws: error) { try cast.helper.processEvents() }
            portal.change { $0.faults["Start"] = .closesSession }
            #expect(try Cast(place, bus, application: "another").fail() == .cast(.closed))
        }
    }

    @Test func `an engine that is killed leaves no process, no dialog and no session`() throws {
        try withPortal(.hesitates) { place, bus, portal in
            let caster = try Caster(place, bus, Tool.siblings())
            try caster.process.line("process ")
            try wait("the dialog") { portal.isDialogShown }
            caster.process.signal(SIGKILL)
            #expect(try caster.process.wait().status == 128 + SIGKILL)
            try wait("the dialog's end") { !portal.isDialogShown && portal.openSessions == 0 }
        }
    }

    @Test func `a process that is killed is told`() throws {
        try withPortal(.hesitates) { place, bus, portal in
            let cast = try Cast(place, bus)
            try cast.wait("the dialog") { portal.isDialogShown }
            kill(cast.helper.pid, SIGKILL)
            #expect(try cast.fail() == .died)
        }
    }

    @Test func `a process that hangs is killed`() throws {
        try withPortal { place, bus, portal in
            var cast: Cast? = try Cast(place, bus)
            try cast?.open()
            let pid = try #require(cast?.helper.pid)
            try StrangerProcess.stop(pid)
            cast = nil
            #expect(kill(pid, 0) != 0)
            try wait("the session's end") { portal.openSessions == 0 }
        }
    }

    // MARK: What is missing or fails

    @Test func `what is missing is named, with status 69`() throws {
        try TestPlace.with { place in
            func message(_ cast: Cast, _ expected: ScreenCastSession.Error) throws -> String {
                let error = try cast.fail()
                #expect(error == .cast(expected))
                let failure = TakeError.source(error.videoSourceError).failure
                #expect(failure.exitStatus == ExitStatus.unavailable)
                return failure.message
            }
            let bus = try TestBus()
            #expect(try message(Cast(place, bus), .noPortal).contains("xdg-desktop-portal"))
            #expect(try message(Cast(place, nil), .noBus).contains("DBUS_SESSION_BUS_ADDRESS"))
            // A library that is none is as good as missing.
            try place.makeDirectory("libraries")
            try place.write("", to: "libraries/libsystemd.so.0")
            let libraries = ["LD_LIBRARY_PATH=\(place.path("libraries"))"]
            #expect(try message(Cast(place, bus, variables: libraries), .noLibrary).contains("libsystemd0"))
            let portal = try StandInPortal(bus) { $0.sourceTypes = 1 }
            #expect(try message(Cast(place, bus, .window), .notOffered(.window)).contains("windows"))
            withExtendedLifetime(portal) {}
        }
    }

    @Test func `an executable that is not there is told`() throws {
        let order = ScreenCastOrder(ScreenCastRequest(.monitor, showsCursor: true), application: Self.application)
        #expect(throws: ScreenCastHelper.Error.cannotStart(.noSuchFileOrDirectory)) {
            try ScreenCastHelper(order, executable: "/nowhere")
        }
    }

    @Test func `a process without an engine ends with a sentence`() throws {
        try TestPlace.with { place in
            let started = try RunningKinecast(
                arguments: ["--screen-cast"], environment: place.environment, directory: place.directory,
                executable: try Tool.sibling("kinecast-engine"))
            let ended = try started.wait()
            #expect(ended.status == ExitStatus.usage && ended.errors.contains("kinecast-engine: "))
        }
    }

    @Test func `an engine that says something else is left alone, and no portal is asked`() throws {
        try withPortal { place, bus, portal in
            let (near, far) = try ControlConnection<ScreenCastReport, DesktopRequest>.pair()
            var options = ChildProcess.Options()
            options.descriptors = [nil, nil, nil, far]
            let process = try ChildProcess(
                executable: try Tool.sibling("kinecast-engine"), arguments: ["--screen-cast"],
                environment: place.environment + ["DBUS_SESSION_BUS_ADDRESS=\(bus.address)"], options: options)
            try far.close()
            try near.send(DesktopRequest(number: 1, task: .withdraw(identifier: "a")))
            #expect(near.drain(until: .max))
            try wait("the process's hello") { near.hasInput }
            near.close()
            #expect(process.wait() == .exited(status: 0))
            #expect(portal.calls.isEmpty)
        }
    }

    // MARK: Other processes and users

    /// A cast of another process, which gives up when its input ends.
    private final class Caster {
        let process: RunningKinecast
        private var input: FileDescriptor?

        /// - Parameter prefix: a command that runs the process.
        init(
            _ place: TestPlace, _ bus: TestBus, _ executables: String, prefix: [String] = []
        ) throws {
            let pipe = try FileDescriptor.pipe()
            defer { try? pipe.readEnd.close() }
            input = pipe.writeEnd
            let command =
                prefix + [
                    "\(executables)/kinecast-cast", "\(executables)/kinecast-engine", "monitor", application,
                ]
            process = try RunningKinecast(
                arguments: Array(command.dropFirst()),
                environment: place.environment + ["DBUS_SESSION_BUS_ADDRESS=\(bus.address)"],
                directory: place.directory, input: pipe.readEnd, executable: command[0])
        }

        deinit { try? input?.close() }

        func giveUp() throws -> RunningKinecast.Ended {
            try input?.close()
            input = nil
            return try process.wait()
        }
    }

    @Test func `an ordinary user casts with a process that portals can look at, and with files of their own`() throws {
        try TestPlace.with { place in
            let bus = try TestBus(isOpenToOthers: true)
            let portal = try StandInPortal(bus)
            let (user, prefix) = try ordinaryUser()
            // A build directory may lie in a home that is closed.
            _ = try Tool.output(
                "install",
                ["-D", "-m", "755", "-t", place.path("bin")]
                    + ["kinecast-cast", "kinecast-engine"].map(Tool.sibling))
            if getuid() == 0 { _ = try Tool.output("chown", ["-R", "\(user)", place.directory.string]) }
            for round in 1...2 {
                let caster = try Caster(place, bus, place.path("bin"), prefix: prefix)
                let pid = try caster.process.line("process ").dropFirst("process ".count)
                try caster.process.line("opened ")
                try caster.process.line("read \(StandInPortal.greeting)")
                // What a portal looks at to learn who asks.
                let look = prefix + [try Tool.path(of: "readlink"), "/proc/\(pid)/root"]
                #expect(try Tool.output(look[0], Array(look.dropFirst())) == "/\n")
                #expect(portal.questions == 1, "round \(round)")
                let ended = try caster.giveUp()
                #expect(ended.status == 0 && ended.output.contains("ended givenUp"), "\(ended)")
            }
            var status = stat()
            #expect(stat(tokens(place).appending("\(Self.application).monitor").string, &status) == 0)
            #expect(status.st_uid == user && status.st_mode & 0o777 == 0o600)
        }
    }

    /// The user, and the command that makes a process theirs.
    private func ordinaryUser() throws -> (uid_t, prefix: [String]) {
        guard getuid() == 0 else { return (getuid(), []) }
        let user: uid_t = 1000  // needs no entry anywhere
        return (
            user, [try Tool.path(of: "setpriv"), "--reuid=\(user)", "--regid=\(user)", "--clear-groups"]
        )
    }
}
