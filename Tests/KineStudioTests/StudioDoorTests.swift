// The socket by which a second `kinecast studio` gets a link.
import CoreTesting
import KineMeasure
import KinePlatform
import KineWire
import SystemPackage
import Testing

@testable import KineStudio

@Suite struct StudioDoorTests {
    private static let link = StudioLink(address: "http://127.0.0.1:1/#token", file: "/run/link.html")
    private let studio = Studio(Mailbox(), choices: KeptChoice(in: nil))

    @Test func `a visitor gets a link`() throws {
        try TemporaryDirectory.with { directory in
            let path = directory.appending("studio.sock")
            let door = try StudioDoor(path, studio) { _ in Self.link }
            let link = Monitor<StudioLink??>(nil)
            let visitor = DedicatedThread(name: "visitor") {
                let answer = StudioDoor.ask(path)
                link.signal { $0 = .some(answer) }
            }
            try wait("the answer") {
                door.process(at: MonotonicClock.now())
                return link.withLock { $0 } != nil
            }
            visitor.join()
            #expect(link.withLock { $0 } == Self.link)
        }
    }

    @Test func `without a descriptor for a visitor, the socket is not polled for a moment`() throws {
        try TemporaryDirectory.with { directory in
            var isExhausted = true
            var attempts = 0
            let accept: StudioDoor.Accept = { _ in
                attempts += 1
                return ([], isExhausted)
            }
            let door = try StudioDoor(directory.appending("studio.sock"), studio, accept: accept) { _ in
                Self.link
            }
            #expect(door.pollEntries.count == 1 && door.nextDeadline == nil)
            door.process(at: 5)
            #expect(door.pollEntries.isEmpty && door.nextDeadline == 5 + StudioDoor.acceptRest)
            door.process(at: 4 + StudioDoor.acceptRest)
            #expect(attempts == 1)
            isExhausted = false
            door.process(at: 5 + StudioDoor.acceptRest)
            #expect(attempts == 2 && door.pollEntries.count == 1 && door.nextDeadline == nil)
        }
    }
}
