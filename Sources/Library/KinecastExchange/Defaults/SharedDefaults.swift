// Small values that the members of a group share.
import FoundationEssentials
import SystemPackage

/// Values with keys, which every process of a group reads, changes and observes.
///
/// A value can be any property list: `Bool`, numbers, `String`, `Data`, `Date`, arrays and dictionaries of those, and
/// `Codable` types made of them, nested 63 levels at most; all together have at most a megabyte. A change is atomic,
/// even if its process is killed. Other processes see it when the call returns; after a power loss, changes of the last
/// seconds may be lost. If the file is damaged, reads return the last good values.
///
/// Calls block for the file system, and for at most five seconds if other processes change the same defaults.
///
/// ## Topics
///
/// ### Values
///
/// - ``value(_:forKey:)``
/// - ``set(_:forKey:)``
/// - ``removeValue(forKey:)``
/// - ``keys()``
/// - ``change(_:)``
///
/// ### Changes by any process
///
/// - ``values(_:forKey:)``
/// - ``changes()``
public final class SharedDefaults: Sendable {
    /// A change of the defaults.
    public enum Change: Sendable, Equatable {
        /// These keys have new values, or were removed.
        case changed(Set<String>)
        /// The defaults cannot be read. The last good values stay.
        case failed(DefaultsError)
    }

    public let group: GroupContainer
    /// Distinguishes several sets of defaults of one group.
    public let name: String
    let store: DefaultsStore
    private var directory: FilePath { group.internals.appending("defaults") }

    public init(group: GroupContainer, name: String = "defaults") throws(GroupError) {
        guard name.isGroupFileName, !name.hasSuffix(".previous"), !name.hasSuffix(".lock") else {
            throw .invalidName(name)
        }
        self.group = group
        self.name = name
        store = DefaultsStore(
            directory: group.internals.appending("defaults"), workDirectory: group.internals.appending("work"),
            name: name)
    }

    /// The value of a key, if it has one. Throws `otherType` if it cannot be read as this type.
    public func value<Value: Decodable>(_ type: Value.Type = Value.self, forKey key: String) throws(DefaultsError)
        -> Value?
    {
        try Self.value(type, forKey: key, in: store.read().snapshot)
    }

    /// All keys, sorted.
    public func keys() throws(DefaultsError) -> [String] { try store.read().snapshot.entries.keys.sorted() }

    public func set(_ value: some Encodable, forKey key: String) throws(DefaultsError) {
        let data = try Self.data(value, forKey: key)
        try store.change { $0.entries[key] = data }
    }

    public func removeValue(forKey key: String) throws(DefaultsError) {
        try store.change { $0.entries[key] = nil }
    }

    /// Changes several values at once, depending on their present values: no other process changes them in between.
    public func change(_ body: (inout Values) throws(DefaultsError) -> Void) throws(DefaultsError) {
        try store.change { snapshot throws(DefaultsError) in
            var values = Values(snapshot: snapshot)
            try body(&values)
            snapshot = values.snapshot
        }
    }

    /// The values while they are changed.
    public struct Values {
        var snapshot: DefaultsSnapshot

        public var keys: [String] { snapshot.entries.keys.sorted() }

        public func value<Value: Decodable>(
            _ type: Value.Type = Value.self, forKey key: String
        ) throws(DefaultsError) -> Value? {
            try SharedDefaults.value(type, forKey: key, in: snapshot)
        }

        public mutating func set(_ value: some Encodable, forKey key: String) throws(DefaultsError) {
            snapshot.entries[key] = try SharedDefaults.data(value, forKey: key)
        }

        public mutating func removeValue(forKey key: String) { snapshot.entries[key] = nil }
    }

    /// The changes from now on, of this process and others. Unread changes are merged.
    public func changes() throws(DefaultsError) -> AsyncMapSequence<Coalesced<DefaultsObserver.Step>, Change> {
        try DefaultsObserver.steps(of: store, in: directory).map(\.change)
    }

    /// The present value of a key, then each different value. A value that cannot be read is skipped.
    public func values<Value: Decodable & Equatable & Sendable>(
        _ type: Value.Type = Value.self, forKey key: String
    ) throws(DefaultsError) -> DefaultsValues<Value> {
        DefaultsValues(
            steps: try DefaultsObserver.steps(of: store, in: directory, startingWithAll: true), key: key)
    }

    static func value<Value: Decodable>(
        _ type: Value.Type, forKey key: String, in snapshot: DefaultsSnapshot
    ) throws(DefaultsError) -> Value? {
        guard let data = snapshot.entries[key] else { return nil }
        // Another member of the group may have written anything.
        guard BinaryPropertyList.canDecode(data),
            let value = try? PropertyListDecoder().decode([Value].self, from: data), value.count == 1
        else { throw .otherType(key: key) }
        return value[0]
    }

    private static func data(_ value: some Encodable, forKey key: String) throws(DefaultsError) -> Data {
        guard (1...200).contains(key.utf8.count) else { throw .notAPropertyList(key: key) }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        guard let data = try? encoder.encode([value]), BinaryPropertyList.canDecode(data) else {
            throw .notAPropertyList(key: key)
        }
        return data
    }
}
