// A member of a group, for tests and measurements that need several processes, some of them killed.
//
//   kinecast-member publish GROUP NAME FIRST COUNT   publishes a file COUNT times; its contents say which time it is
//   kinecast-member read GROUP NAME                  reads that file over and over, and complains of what must not be
//   kinecast-member count GROUP KEY COUNT            adds one to a value COUNT times
//   kinecast-member watch GROUP KEY                  says each value that it sees, and when
//   kinecast-member set GROUP KEY COUNT MILLISECONDS sets a value to the time, COUNT times
//   kinecast-member listen GROUP NAME                says when it hears a notification
//   kinecast-member observe GROUP NAME               the same, with a handler in place of a loop
//   kinecast-member post GROUP NAME COUNT MILLISECONDS
//
// With a further word, `later`, those that watch, listen and observe say it when their standard input ends: printing takes longer than hearing.
import Glibc
import KinePlatform
import KinecastExchange
import SystemPackage

@main
enum GroupMember {
    static func main() async {
        let words = CommandLine.arguments.dropFirst()
        // Set here and not before the program begins: the thread sanitizer writes a larger file when a program starts.
        if let bytes = ProcessEnvironment.value("MEMBER_FILE_LIMIT").flatMap({ rlim_t($0) }) {
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: bytes, rlim_max: bytes)
            guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { exit(1) }
        }
        do {
            guard words.count >= 3 else { throw Wrong(description: "too few words") }
            let arguments = Array(words)
            try await run(arguments[0], try GroupContainer(unchecked: arguments[1]), Array(arguments[2...]))
        } catch {
            say("failed: \(error)")
            exit(1)
        }
    }

    private static func run(_ verb: String, _ group: GroupContainer, _ words: [String]) async throws {
        let journal = try Journal(printsLater: words.last == "later")
        func number(_ index: Int) -> Int { words.count > index ? Int(words[index]) ?? 0 : 0 }
        switch verb {
        case "publish": try publish(group, words[0], first: number(1), count: number(2))
        case "read": try read(group, words[0])
        case "count":
            let defaults = try SharedDefaults(group: group)
            for _ in 0..<number(1) {
                var next = 0
                try defaults.change { values throws(DefaultsError) in
                    next = (try values.value(Int.self, forKey: words[0]) ?? 0) + 1
                    try values.set(next, forKey: words[0])
                }
                say(next)
            }
        case "watch":
            let values = try SharedDefaults(group: group).values(Int64.self, forKey: words[0])
            say("ready")
            for await value in values { journal.note("saw", value ?? -1) }
        case "set":
            let defaults = try SharedDefaults(group: group)
            for _ in 0..<number(1) {
                let now = MonotonicClock.now()
                try defaults.set(now, forKey: words[0])
                say("set at \(now)")
                usleep(UInt32(number(2)) * 1000)
            }
        case "listen":
            let notifications = try CrossProcessNotifications(group: group).notifications(named: words[0])
            say("ready")
            for await _ in notifications { journal.note("heard") }
        case "observe":
            let observation = try CrossProcessNotifications(group: group).observe(words[0]) { journal.note("heard") }
            say("ready")
            try await Task.sleep(for: .seconds(86400))
            withExtendedLifetime(observation) {}
        case "post":
            let notifications = CrossProcessNotifications(group: group)
            for _ in 0..<number(1) {
                say("posting at \(MonotonicClock.now())")
                try notifications.post(words[0])
                usleep(UInt32(number(2)) * 1000)
            }
        default: throw Wrong(description: "no such verb: \(verb)")
        }
    }

    // MARK: Files

    /// The contents of the published file: a line with the number and the length, then a letter that follows from the number.
    private static func contents(_ number: Int) -> [UInt8] {
        let length = 100 + number * 7919 % 20000
        let letter = UInt8(0x61 + number % 26)
        return Array("\(number) \(length)\n".utf8) + [UInt8](repeating: letter, count: length)
    }

    private static func publish(_ group: GroupContainer, _ name: String, first: Int, count: Int) throws {
        for number in first..<first + count {
            // By turns as bytes, and as a file that was written elsewhere.
            if number % 2 == 0 {
                try group.publish(contents(number), as: name)
            } else {
                let file = group.path.appending(".draft-\(getpid())")
                let draft = try FileDescriptor.open(
                    file, .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
                try draft.closeAfter { _ = try draft.writeAll(contents(number)) }
                try group.publish(file: file, as: name)
            }
            say(number)
        }
    }

    private static func read(_ group: GroupContainer, _ name: String) throws {
        var last = -1
        while true {
            let bytes: [UInt8]
            do throws(GroupError) {
                bytes = try group.contents(of: name)
            } catch {
                guard error == .noSuchFile(name), last < 0 else { throw error }
                continue
            }
            let line = String(decoding: bytes.prefix { $0 != 0x0a }, as: UTF8.self)
            guard let number = line.split(separator: " ").first.flatMap({ Int($0) }), bytes == contents(number) else {
                throw Wrong(description: "half a file: \(line), \(bytes.count) bytes")
            }
            guard number >= last else { throw Wrong(description: "\(number) after \(last)") }
            if last < 0 { say("reading") }
            last = number
        }
    }
}

struct Wrong: Error, CustomStringConvertible { var description: String }

/// Writes a line at once.
func say(_ line: some Any) { _ = try? FileDescriptor.standardOutput.writeAll("\(line)\n".utf8) }
