// Notifications between the processes of a group.
import CoreTesting
import Glibc
import KinePlatform
import KinecastExchange
import Testing

@Suite(.tags(.real)) struct CrossProcessNotificationsTests {
    @Test func `every process that listens hears a notification, and no other name's`() async throws {
        try await TestGroup.with { group in
            let listeners = try (0..<5).map { _ in try group.member("listen", "wanted") }
            let stranger = try group.member("listen", "other")
            for listener in listeners + [stranger] { try listener.line("ready") }
            let notifications = CrossProcessNotifications(group: group.container)
            try notifications.post("wanted")
            for listener in listeners { try listener.line("heard") }
            try notifications.post("other")
            try stranger.line("heard")
            for process in listeners + [stranger] {
                process.signal(SIGKILL)
                let heard = try process.wait().output.split(separator: "\n").count { $0.hasPrefix("heard") }
                #expect(heard == 1)
            }
        }
    }

    @Test func `a handler hears what is posted from now on, until its observation is released`() async throws {
        try await TestGroup.with { group in
            let notifications = CrossProcessNotifications(group: group.container)
            let heard = Monitor(0)
            let process = try group.member("observe", "name")
            try process.line("ready")
            var observation: CrossProcessNotifications.Observation? = try notifications.observe("name") {
                heard.signal { $0 += 1 }
            }
            withExtendedLifetime(observation) {}
            // The last one's loop has the news after this process's handlers have it.
            var last = try notifications.notifications(named: "last").makeAsyncIterator()
            try notifications.post("other")
            try notifications.post("name")
            try process.line("heard")
            try notifications.post("last")
            #expect(await last.next() != nil)
            #expect(heard.withLock { $0 } == 1)
            observation = nil
            try notifications.post("name")
            try notifications.post("last")
            #expect(await last.next() != nil)
            #expect(heard.withLock { $0 } == 1)
            process.signal(SIGKILL)
            _ = try process.wait()
        }
    }

    @Test func `none is lost between the subscription and the first wait, and several count as one`() async throws {
        try await TestGroup.with { group in
            let notifications = CrossProcessNotifications(group: group.container)
            let heard = try notifications.notifications(named: "name")
            for _ in 0..<20 { try notifications.post("name") }
            // The watcher's thread has seen all of them when it has seen this one.
            var last = try notifications.notifications(named: "last").makeAsyncIterator()
            try notifications.post("last")
            #expect(await last.next() != nil)
            var iterator = heard.makeAsyncIterator()
            #expect(await iterator.next() != nil)
            let another = Task {
                var iterator = heard.makeAsyncIterator(); return await iterator.next() != nil
            }
            try notifications.post("name")
            #expect(await another.value, "a later one is heard by itself")
        }
    }

    @Test func `a listener that is cancelled ends, and the others go on`() async throws {
        try await TestGroup.with { group in
            let notifications = CrossProcessNotifications(group: group.container)
            let heard = try notifications.notifications(named: "name")
            let task = Task { () -> Int in
                var count = 0
                for await _ in heard { count += 1 }
                return count
            }
            task.cancel()
            #expect(await task.value == 0)
            var iterator = try notifications.notifications(named: "name").makeAsyncIterator()
            try notifications.post("name")
            #expect(await iterator.next() != nil)
        }
    }

    @Test(arguments: ["", ".dot", "a/b"]) func `a name that could be another file is refused`(name: String) async throws
    {
        try await TestGroup.with { group in
            let notifications = CrossProcessNotifications(group: group.container)
            #expect(throws: GroupError.invalidName(name)) { try notifications.post(name) }
            #expect(throws: GroupError.invalidName(name)) { try notifications.notifications(named: name) }
            #expect(throws: GroupError.invalidName(name)) { try notifications.observe(name) {} }
        }
    }
}
