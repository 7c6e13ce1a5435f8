// The clients that are sent the levels of the take's audio.
import KineMedia
import KineWire

/// Each client gets the newest levels once it has read the messages before, so that a slow one costs no memory and does not miss
/// silence.
struct ClientLevels {
    private struct Reader {
        let client: EngineConnection
        /// The kinds whose levels it may not have.
        let withheld: Set<PermissionKind>
        var newest: AudioLevels?
        var sent: AudioLevels?
    }

    private var readers: [Reader] = []

    /// Whether a client wants levels.
    var areWanted: Bool { !readers.isEmpty }

    /// Sends a client the levels from now on. A client that asks again is judged again.
    mutating func add(_ client: EngineConnection, without withheld: Set<PermissionKind>) {
        remove(client)
        readers.append(Reader(client: client, withheld: withheld))
    }

    mutating func remove(_ client: EngineConnection) { readers.removeAll { $0.client === client } }

    mutating func tell(_ levels: AudioLevels) {
        for index in readers.indices { readers[index].newest = levels.without(readers[index].withheld) }
    }

    /// Sends changed levels, and removes clients that have gone. Call it whenever the loop wakes. Returns whether this call
    /// has removed the last client.
    mutating func poll() -> Bool {
        let wereWanted = areWanted
        readers.removeAll { $0.client.isClosed }
        for index in readers.indices {
            let reader = readers[index]
            // A program does not notice changes of a level that it may not have either.
            guard let levels = reader.newest, levels != reader.sent, !reader.client.isPeerBehind else { continue }
            readers[index].sent = levels
            reader.client.tell(.audioLevels(levels))
        }
        return wereWanted && !areWanted
    }
}
