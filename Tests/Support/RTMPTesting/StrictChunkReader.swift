// A second reader of chunks, written from the specification alone, which shares nothing with the one in the product. It
// rejects everything that servers could understand in different ways.

public struct StrictChunkReader {
    public struct Message: Equatable, Sendable {
        public var chunkStream: Int
        public var type: Int
        public var streamID: Int
        public var timestamp: UInt32
        public var payload: [UInt8]

        public init(chunkStream: Int, type: Int, streamID: Int, timestamp: UInt32, payload: [UInt8]) {
            self.chunkStream = chunkStream
            self.type = type
            self.streamID = streamID
            self.timestamp = timestamp
            self.payload = payload
        }
    }

    public struct Violation: Error, CustomStringConvertible {
        public let description: String
        public init(_ description: String) { self.description = description }
    }

    private struct Known {
        var timestamp: UInt32
        var length: Int
        var type: Int
        var streamID: Int
        var extended: UInt32?
    }

    public private(set) var chunkSize = 128
    private var known: [Int: Known] = [:]
    private var open: [Int: [UInt8]] = [:]
    public private(set) var formats: Set<Int> = []

    public init() {}

    /// Reads all of `bytes`, which have to end with a complete message.
    public mutating func read(_ bytes: [UInt8]) throws -> [Message] {
        let (messages, used) = try readAvailable(bytes)
        if used != bytes.count { throw Violation("\(bytes.count - used) bytes are left over") }
        if !open.isEmpty { throw Violation("a message is not complete") }
        return messages
    }

    /// Reads all complete chunks. `used`: their bytes.
    public mutating func readAvailable(_ bytes: [UInt8]) throws -> (messages: [Message], used: Int) {
        var messages: [Message] = []
        var at = 0
        while at < bytes.count {
            guard let (message, next) = try chunk(bytes, at) else { break }
            if let message { messages.append(message) }
            at = next
        }
        return (messages, at)
    }

    private mutating func chunk(_ bytes: [UInt8], _ start: Int) throws -> (Message?, Int)? {
        var at = start
        func number(_ count: Int) -> Int? {
            guard at + count <= bytes.count else { return nil }
            defer { at += count }
            var value = 0
            for index in 0..<count { value = value * 256 + Int(bytes[at + index]) }
            return value
        }
        guard let first = number(1) else { return nil }
        let format = first / 64
        var id = first % 64
        if id == 0 {
            guard let more = number(1) else { return nil }
            id = 64 + more
        } else if id == 1 {
            guard let low = number(1), let high = number(1) else { return nil }
            id = 64 + low + high * 256
            if id < 320 { throw Violation("chunk stream \(id) in a form longer than needed") }
        }
        let before = known[id]
        var now: Known
        switch format {
        case 0:
            guard let time = number(3), let length = number(3), let type = number(1) else { return nil }
            var streamID = 0
            for shift in 0..<4 {
                guard let byte = number(1) else { return nil }
                streamID += byte << (8 * shift)
            }
            now = Known(timestamp: UInt32(time), length: length, type: type, streamID: streamID, extended: nil)
            if time == 0xFFFFFF {
                guard let long = number(4) else { return nil }
                if long < 0xFFFFFF { throw Violation("an extended timestamp of \(long) that is not needed") }
                now.timestamp = UInt32(long)
                now.extended = UInt32(long)
            }
        case 1, 2:
            guard let before else { throw Violation("chunk stream \(id) begins with type \(format)") }
            now = before
            now.extended = nil
            guard var delta = number(3) else { return nil }
            if format == 1 {
                guard let length = number(3), let type = number(1) else { return nil }
                (now.length, now.type) = (length, type)
            }
            if delta == 0xFFFFFF {
                guard let long = number(4) else { return nil }
                if long < 0xFFFFFF { throw Violation("an extended delta of \(long) that is not needed") }
                delta = long
                now.extended = UInt32(long)
            }
            if delta >= 1 << 31 { throw Violation("a delta that goes back") }
            now.timestamp = before.timestamp &+ UInt32(delta)
        default:
            guard let before else { throw Violation("chunk stream \(id) begins with type 3") }
            if open[id] == nil { throw Violation("a type 3 chunk begins a message: readers differ in its time") }
            now = before
            if let extended = before.extended {
                guard let long = number(4) else { return nil }
                if long != Int(extended) { throw Violation("a type 3 chunk with another extended timestamp") }
            }
        }
        if format != 3, open[id] != nil { throw Violation("chunk stream \(id) begins a message within another") }
        var payload = open[id] ?? []
        let size = min(chunkSize, now.length - payload.count)
        guard at + size <= bytes.count else { return nil }
        payload += bytes[at..<(at + size)]
        at += size
        formats.insert(format)
        known[id] = now
        if payload.count < now.length {
            open[id] = payload
            return (nil, at)
        }
        open[id] = nil
        if (1...6).contains(now.type), id != 2 || now.streamID != 0 {
            throw Violation("protocol control outside chunk stream 2 and message stream 0")
        }
        if now.type == 1 {
            let size = payload.reduce(0) { $0 * 256 + Int($1) }
            if payload.count != 4 || size < 1 || size > 0xFFFFFF { throw Violation("a chunk size of \(size)") }
            chunkSize = size
        }
        return (
            Message(
                chunkStream: id, type: now.type, streamID: now.streamID, timestamp: now.timestamp, payload: payload), at
        )
    }
}
