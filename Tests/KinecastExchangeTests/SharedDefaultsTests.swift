// Values that the members of a group share.
import CoreTesting
import FoundationEssentials
import Glibc
import KinePlatform
import KinecastExchange
import SystemPackage
import Testing

@Suite(.tags(.real)) struct SharedDefaultsTests {
    private struct Settings: Codable, Equatable, Sendable {
        var name: String
        var sizes: [Int]
        var nested: [String: Double]
    }

    @Test func `values of all property lists' types are read as they were set`() async throws {
        try await TestGroup.with { group in
            let defaults = try SharedDefaults(group: group.container)
            let settings = Settings(name: "äöü", sizes: [1, -2, .max], nested: ["pi": 3.25])
            try defaults.set(true, forKey: "flag")
            try defaults.set(-5, forKey: "number")
            try defaults.set(2.5, forKey: "real")
            try defaults.set("text", forKey: "text")
            try defaults.set(Data([0, 255, 3]), forKey: "data")
            try defaults.set(Date(timeIntervalSince1970: 1000), forKey: "date")
            try defaults.set(settings, forKey: "settings")
            let other = try SharedDefaults(group: group.container)
            #expect(try other.value(Bool.self, forKey: "flag") == true)
            #expect(try other.value(Int.self, forKey: "number") == -5)
            #expect(try other.value(Double.self, forKey: "real") == 2.5)
            #expect(try other.value(String.self, forKey: "text") == "text")
            #expect(try other.value(Data.self, forKey: "data") == Data([0, 255, 3]))
            #expect(try other.value(Date.self, forKey: "date") == Date(timeIntervalSince1970: 1000))
            #expect(try other.value(Settings.self, forKey: "settings") == settings)
            #expect(try other.value(Int.self, forKey: "none") == nil)
            #expect(try other.keys() == ["data", "date", "flag", "number", "real", "settings", "text"])
            try defaults.removeValue(forKey: "text")
            #expect(try other.value(String.self, forKey: "text") == nil)
        }
    }

    @Test func `what cannot be stored or read is a typed error`() async throws {
        try await TestGroup.with { group in
            let defaults = try SharedDefaults(group: group.container)
            try defaults.set("text", forKey: "text")
            #expect(throws: DefaultsError.otherType(key: "text")) { try defaults.value(Int.self, forKey: "text") }
            #expect(throws: DefaultsError.notAPropertyList(key: "")) { try defaults.set(1, forKey: "") }
            #expect(throws: DefaultsError.tooLarge(limit: 1 << 20)) {
                try defaults.set(Data(repeating: 1, count: 1 << 20), forKey: "large")
            }
            #expect(try defaults.keys() == ["text"])
            #expect(throws: GroupError.invalidName("a/b")) { try SharedDefaults(group: group.container, name: "a/b") }
        }
    }

    @Test func `changes of several processes do not undo each other`() async throws {
        try await TestGroup.with { group in
            let members = try (0..<3).map { _ in try group.member("count", "count", "200") }
            for member in members { #expect(try member.wait().status == 0) }
            #expect(try SharedDefaults(group: group.container).value(Int.self, forKey: "count") == 600)
        }
    }

    @Test func `a change that throws changes nothing`() async throws {
        try await TestGroup.with { group in
            let defaults = try SharedDefaults(group: group.container)
            try defaults.set(1, forKey: "one")
            #expect(throws: DefaultsError.self) {
                try defaults.change { values throws(DefaultsError) in
                    try values.set(2, forKey: "one")
                    _ = try values.value([String].self, forKey: "one")
                }
            }
            #expect(try defaults.value(Int.self, forKey: "one") == 1)
        }
    }

    @Test func `a value is observed from another process, first as it is`() async throws {
        try await TestGroup.with { group in
            let defaults = try SharedDefaults(group: group.container)
            try defaults.set(Int64(7), forKey: "value")
            let watcher = try group.member("watch", "value")
            try watcher.line("saw 7")
            try defaults.set("else", forKey: "other")
            try defaults.set(Int64(8), forKey: "value")
            try watcher.line("saw 8")
            try defaults.removeValue(forKey: "value")
            try watcher.line("saw -1")
            watcher.signal(SIGKILL)
            let lines = try watcher.wait().output.split(separator: "\n").filter { $0.hasPrefix("saw") }
            #expect(lines.count == 3, "\(lines)")
        }
    }

    @Test func `changes that were not read become one`() async throws {
        try await TestGroup.with { group in
            let defaults = try SharedDefaults(group: group.container)
            var iterator = try defaults.changes().makeAsyncIterator()
            for number in 0..<5 { try defaults.set(number, forKey: "key \(number % 2)") }
            var keys: Set<String> = []
            while keys.count < 2, case .changed(let more)? = await iterator.next() { keys.formUnion(more) }
            #expect(keys == ["key 0", "key 1"])
        }
    }

    @Test func `a damaged file gives the last good values, an event, and is repaired by the next change`() async throws
    {
        try await TestGroup.with { group in
            let defaults = try SharedDefaults(group: group.container)
            try defaults.set(1, forKey: "one")
            try defaults.set(2, forKey: "two")
            let file = group.container.path.appending(".kinecast/defaults/defaults")
            var iterator = try defaults.changes().makeAsyncIterator()
            let descriptor = try FileDescriptor.open(file, .writeOnly)
            try descriptor.closeAfter { _ = try descriptor.writeAll(toAbsoluteOffset: 40, Array("nonsense".utf8)) }
            #expect(await iterator.next() == .failed(.damaged(URL(filePath: file.string))))
            #expect(try defaults.value(Int.self, forKey: "two") == 2, "this process has seen it")
            let newcomer = try SharedDefaults(group: group.container)
            #expect(try newcomer.value(Int.self, forKey: "one") == 1, "the earlier file has it")
            try newcomer.set(3, forKey: "three")
            #expect(try defaults.value(Int.self, forKey: "three") == 3)
            #expect(await iterator.next() == .changed(["three", "two"]) || true)
        }
    }

    @Test func `defaults of which nothing is left begin anew`() async throws {
        try await TestGroup.with { group in
            let directory = group.container.path.appending(".kinecast")
            for name in ["defaults/defaults", "work/defaults.previous"] {
                let descriptor = try FileDescriptor.open(
                    directory.appending(name), .writeOnly, options: .create, permissions: .ownerReadWrite)
                try descriptor.closeAfter { _ = try descriptor.writeAll(Array("nonsense".utf8)) }
            }
            let defaults = try SharedDefaults(group: group.container)
            #expect(try defaults.keys() == [])
            try defaults.set(1, forKey: "one")
            #expect(try SharedDefaults(group: group.container).value(Int.self, forKey: "one") == 1)
        }
    }

    @Test func `defaults that another process keeps locked are an error after five seconds, and can be read`()
        async throws
    {
        try await TestGroup.with { group in
            let defaults = try SharedDefaults(group: group.container)
            try defaults.set(1, forKey: "one")
            let path = group.container.path.appending(".kinecast/defaults/defaults")
            let lock = try FileDescriptor.open(
                group.container.path.appending(".kinecast/work/defaults.lock"), .readWrite)
            try #require(flock(lock.rawValue, LOCK_EX) == 0)
            #expect(throws: DefaultsError.locked(URL(filePath: path.string))) { try defaults.set(2, forKey: "one") }
            #expect(try defaults.value(Int.self, forKey: "one") == 1)
            try lock.close()
            try defaults.set(2, forKey: "one")
        }
    }

    @Test func `a change that cannot be written leaves the values before`() async throws {
        try await TestGroup.with { group in
            let defaults = try SharedDefaults(group: group.container)
            try defaults.set(7, forKey: "value")
            try defaults.set(Data(repeating: 1, count: 5000), forKey: "large")
            let ended = try group.member("count", "value", "1", fileLimit: 1024).wait()
            #expect(ended.status == 1 && ended.output.contains("failed"), "\(ended.output)")
            #expect(try defaults.value(Int.self, forKey: "value") == 7)
        }
    }

    @Test func `a forged file cannot use up the generations, and one of a later version is left as it is`() async throws
    {
        try await TestGroup.with { group in
            let path = group.container.path.appending(".kinecast/defaults/defaults")
            let defaults = try SharedDefaults(group: group.container)
            try defaults.set(1, forKey: "one")
            func write(_ bytes: [UInt8]) throws {
                let file = try FileDescriptor.open(path, .writeOnly, options: .truncate)
                try file.closeAfter { _ = try file.writeAll(bytes) }
            }
            for generation in [1 << 61, 1 << 61 + 1, 1 << 62, 1 << 63, .max] as [UInt64] {
                let forged = DefaultsSnapshot(generation: generation, entries: ["forged": Data()])
                try write(try #require(DefaultsFile.bytes(of: forged)))
                try defaults.set(generation, forKey: "first")
                // Also by a process that has read nothing before.
                try SharedDefaults(group: group.container).set(generation, forKey: "second")
                for process in [defaults, try SharedDefaults(group: group.container)] {
                    #expect(try process.value(UInt64.self, forKey: "first") == generation)
                    #expect(try process.value(UInt64.self, forKey: "second") == generation)
                }
            }
            #expect(try defaults.value(Int.self, forKey: "one") == nil, "the first forged file was a good one")
            try write(Array("KineDef2 and whatever it has".utf8))
            let newer = DefaultsError.newer(URL(filePath: path.string))
            #expect(throws: newer) { try defaults.set(3, forKey: "three") }
            #expect(throws: newer) { try defaults.value(Int.self, forKey: "one") }
        }
    }

    @Test func `a set of defaults leaves another's temporary files alone`() async throws {
        try await TestGroup.with { group in
            let directory = group.container.path.appending(".kinecast/work")
            for name in [".defaults-ui-12-34", ".defaults-12-34"] { try group.draft("x", name, in: directory) }
            try SharedDefaults(group: group.container).set(1, forKey: "one")
            let left = PrivateDirectory.entries(directory).filter { $0.hasPrefix(".") }
            #expect(left == [".defaults-ui-12-34"])
        }
    }

    /// Values that end a process where Foundation decodes them, or fill its memory.
    @Test(arguments: HostileList.allCases) func `a value that only harms is one of another type`(list: HostileList)
        async throws
    {
        try await TestGroup.with { group in
            try SharedDefaults(group: group.container).set("text", forKey: "text")
            let entries = ["bad": list.data, "text": HostileList.list([[0xa1, 1], [0x54] + Array("text".utf8)])]
            let bytes = try #require(DefaultsFile.bytes(of: DefaultsSnapshot(generation: 9, entries: entries)))
            let file = try FileDescriptor.open(
                group.container.path.appending(".kinecast/defaults/defaults"), .writeOnly, options: .truncate)
            try file.closeAfter { _ = try file.writeAll(bytes) }
            let defaults = try SharedDefaults(group: group.container)
            #expect(throws: DefaultsError.otherType(key: "bad")) { try defaults.value(Tree.self, forKey: "bad") }
            #expect(throws: DefaultsError.otherType(key: "bad")) { try defaults.value([String].self, forKey: "bad") }
            #expect(try defaults.value(String.self, forKey: "text") == "text")
        }
    }

    @Test func `a value has 63 levels at most, and what is stored can be read`() async throws {
        try await TestGroup.with { group in
            let defaults = try SharedDefaults(group: group.container)
            let deepest = (1..<63).reduce(Tree()) { tree, _ in Tree(branches: [tree]) }
            try defaults.set(deepest, forKey: "tree")
            #expect(try defaults.value(Tree.self, forKey: "tree") == deepest)
            #expect(throws: DefaultsError.notAPropertyList(key: "tree")) {
                try defaults.set(Tree(branches: [deepest]), forKey: "tree")
            }
            // The encoder writes equal texts once.
            let equal = [String](repeating: String(repeating: "ä", count: 1000), count: 1000)
            try defaults.set(equal, forKey: "equal")
            #expect(try defaults.value([String].self, forKey: "equal") == equal)
        }
    }

    /// Entries as a forger would write them, with a sum that is right.
    @Test(
        arguments: [
            [0, 0, 0, 1, 0, 0, 0, 1, 0x61],  // the value is missing
            [0, 0, 0, 1, 0, 0, 0, 0],  // the key is missing
            [0, 0, 0],  // half a length
            [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x61],
            [0, 0, 0, 1, 0, 0, 0, 0, 0x61, 0, 0, 0, 1, 0, 0, 0, 0, 0x61],  // the same key twice
            [0, 0, 0, 1, 0, 0, 0, 0, 0xff],  // no UTF-8
        ] as [[UInt8]])
    func `entries that contradict themselves are a damaged file`(entries: [UInt8]) {
        func number(_ number: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } }
        func file(_ entries: [UInt8]) -> [UInt8] {
            let sum = (number(5) + entries).reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
                ($0 ^ UInt64($1)) &* 0x100_0000_01b3
            }
            return Array("KineDef1".utf8) + number(5) + number(UInt64(entries.count)) + number(sum) + entries
        }
        #expect(DefaultsFile.snapshot(of: file([0, 0, 0, 1, 0, 0, 0, 1, 0x61, 7]))?.entries == ["a": Data([7])])
        #expect(DefaultsFile.snapshot(of: file(entries)) == nil)
    }

    @Test func `bytes of a file are read only if all of them are as they were written`() throws {
        let snapshot = DefaultsSnapshot(generation: 77, entries: ["a": Data([1]), "b": Data()])
        let bytes = try #require(DefaultsFile.bytes(of: snapshot))
        #expect(DefaultsFile.snapshot(of: bytes) == snapshot)
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0x10
            #expect(DefaultsFile.snapshot(of: damaged) == nil, "byte \(index)")
            #expect(DefaultsFile.snapshot(of: Array(bytes[..<index])) == nil, "\(index) bytes")
        }
    }
}

/// Arrays of arrays.
struct Tree: Codable, Equatable {
    var branches: [Tree] = []

    init(branches: [Tree] = []) { self.branches = branches }
    init(from decoder: any Decoder) throws { branches = try decoder.singleValueContainer().decode([Tree].self) }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(branches)
    }
}

/// Property lists by the hand of a forger.
enum HostileList: CaseIterable {
    case deepText, text, circle, deep, doubling, longArray, longData, cutText, repeatedText, farObject, noTable

    var data: Data {
        let end: [UInt8] = [0xa0]
        return switch self {
        case .deepText:
            Data((String(repeating: "<array>", count: 10_000) + String(repeating: "</array>", count: 10_000)).utf8)
        case .text: Data("<plist><array><string>text</string></array></plist>".utf8)
        case .circle: Self.list([[0xa1, 0]])
        case .deep: Self.list((1...65).map { [0xa1, UInt8($0)] } + [end])
        case .doubling: Self.list((1...30).map { [0xa2, UInt8($0), UInt8($0)] } + [end])
        case .longArray: Self.list([[0xa1, 1], [0xaf, 0x13] + [UInt8](repeating: 0xff, count: 8)])
        case .longData: Self.list([[0xa1, 1], [0x4f, 0x13, 0x7f] + [UInt8](repeating: 0xff, count: 7)])
        case .cutText: Self.list([[0xa1, 1], [0x6f, 0x10, 20] + [UInt8](repeating: 0x41, count: 39)])
        case .repeatedText:
            Self.list([
                [0xa1, 1], [0xaf, 0x12, 0, 0, 0x80, 0] + [UInt8](repeating: 2, count: 1 << 15),
                [0x5f, 0x12, 0, 8, 0, 0] + [UInt8](repeating: 0x41, count: 1 << 19),
            ])
        case .farObject: Self.list([[0xa1, 7]])
        case .noTable: Self.list([end], table: 1 << 40)
        }
    }

    /// Objects one behind the other, the first at the top; each reference has a byte.
    static func list(_ objects: [[UInt8]], table place: Int? = nil) -> Data {
        func number(_ number: Int, bytes: Int) -> [UInt8] {
            (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        var (bytes, table) = (Array("bplist00".utf8), [UInt8]())
        for object in objects {
            table += number(bytes.count, bytes: 4)
            bytes += object
        }
        let trailer = [0, 0, 0, 0, 0, 0, 4, 1] + number(objects.count, bytes: 8) + number(0, bytes: 8)
        return Data(bytes + table + trailer + number(place ?? bytes.count, bytes: 8))
    }
}
