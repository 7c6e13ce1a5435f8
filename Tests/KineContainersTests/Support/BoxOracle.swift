// A second reading of MP4, written from ISO/IEC 14496-12 alone and sharing nothing with the code it judges: slow,
// simple, and without mercy for boxes that do not fit into each other. It throws and never traps: the fuzzers read hostile
// files with it.
struct OracleError: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}

/// A box and those in it.
struct OracleBox {
    var type: String
    var offset: Int
    var size: Int
    var headerSize: Int
    var children: [OracleBox] = []

    var content: Range<Int> { offset + headerSize..<offset + size }

    private static let containers: Set<String> = [
        "moov", "trak", "edts", "mdia", "minf", "dinf", "stbl", "mvex", "moof", "traf",
    ]

    /// No file of ours has more boxes inside each other.
    private static let mostLevels = 16

    static func parse(_ bytes: [UInt8], _ range: Range<Int>, level: Int = 1) throws -> [OracleBox] {
        guard level <= mostLevels else { throw OracleError("boxes inside each other at \(range.lowerBound)") }
        var boxes: [OracleBox] = []
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard offset + 8 <= range.upperBound else { throw OracleError("cut box header at \(offset)") }
            var size = try bytes.number(at: offset, 4)
            let type = String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)
            var header = 8
            if size == 1 {
                size = try bytes.number(at: offset + 8, 8)
                header = 16
            }
            guard size >= header, size <= range.upperBound - offset else {
                throw OracleError("box \(type) at \(offset) of \(size) bytes does not fit")
            }
            var box = OracleBox(type: type, offset: offset, size: size, headerSize: header)
            if containers.contains(type) {
                box.children = try parse(bytes, box.content, level: level + 1)
            }
            boxes.append(box)
            offset += size
        }
        return boxes
    }

    /// The number of `size` bytes, `offset` bytes into the content. What follows the box is not read.
    func number(_ bytes: [UInt8], at offset: Int, _ size: Int) throws -> Int {
        guard offset <= content.count - size else { throw OracleError("\(type) at \(self.offset) is too short") }
        return try bytes.number(at: content.lowerBound + offset, size)
    }

    func child(_ path: String...) throws -> OracleBox {
        var box = self
        for type in path {
            guard let next = box.children.first(where: { $0.type == type }) else { throw OracleError("no \(type)") }
            box = next
        }
        return box
    }
}

struct OracleSample: Equatable {
    var offset: Int
    var size: Int
    var start: Int
    var duration: Int
    var isSync: Bool

    var end: Int { start + duration }
}

struct OracleTrack: Equatable {
    var id: Int
    var handler: String
    var name: String
    var timescale: Int
    var trackDuration: Int
    var mediaDuration: Int
    var edits: [[Int]] = []
    var samples: [OracleSample] = []
    var hasRollGroup = false
}

struct OracleMovie: Equatable {
    var types: [String]
    var timescale: Int
    var duration: Int
    var tracks: [OracleTrack]

    /// Reads a whole file, finished or fragmented.
    init(_ bytes: [UInt8]) throws {
        let top = try OracleBox.parse(bytes, 0..<bytes.count)
        types = top.map(\.type)
        guard top.filter({ $0.type == "moov" }).count == 1, let moov = top.first(where: { $0.type == "moov" }) else {
            throw OracleError("not exactly one moov")
        }
        let header = try moov.child("mvhd")
        let wide = try header.number(bytes, at: 0, 1) == 1
        timescale = try header.number(bytes, at: wide ? 20 : 12, 4)
        duration = try header.number(bytes, at: wide ? 24 : 16, wide ? 8 : 4)
        tracks = try moov.children.filter { $0.type == "trak" }.map { try OracleTrack(bytes, $0) }
        var defaults: [Int: Int] = [:]
        for extends in (try? moov.child("mvex").children) ?? [] {
            defaults[try extends.number(bytes, at: 4, 4)] = try extends.number(bytes, at: 12, 4)
        }
        for fragment in top where fragment.type == "moof" {
            for run in fragment.children where run.type == "traf" {
                try add(bytes, run, moof: fragment, defaults: defaults)
            }
        }
    }

    private mutating func add(_ bytes: [UInt8], _ run: OracleBox, moof: OracleBox, defaults: [Int: Int]) throws {
        let header = try run.child("tfhd")
        let id = try header.number(bytes, at: 4, 4)
        guard let track = tracks.firstIndex(where: { $0.id == id }) else { throw OracleError("no track \(id)") }
        guard try header.number(bytes, at: 0, 4) == 0x20000 else { throw OracleError("tfhd flags") }
        var start = try run.child("tfdt").number(bytes, at: 4, 8)
        if tracks[track].handler == "meta", let last = tracks[track].samples.last, last.end <= start {
            // It lasts until the next one.
            tracks[track].samples[tracks[track].samples.count - 1].duration = start - last.start
        }
        if let last = tracks[track].samples.last, last.end != start {
            throw OracleError("track \(id): a sample ends at \(last.end), the next starts at \(start)")
        }
        let samples = try run.child("trun")
        let flags = try samples.number(bytes, at: 0, 4)
        var offset = try moof.offset + samples.number(bytes, at: 8, 4)
        var at = 12
        let count = try samples.number(bytes, at: 4, 4)
        guard count <= bytes.count else { throw OracleError("trun has \(count) samples") }
        for _ in 0..<count {
            func field(_ flag: Int) throws -> Int? {
                guard flags & flag != 0 else { return nil }
                defer { at += 4 }
                return try samples.number(bytes, at: at, 4)
            }
            let duration = try field(0x100) ?? defaults[id] ?? 0
            let size = try field(0x200) ?? 0
            let isSync = try field(0x400).map { $0 & 0x1_0000 == 0 } ?? true
            tracks[track].samples.append(
                OracleSample(offset: offset, size: size, start: start, duration: duration, isSync: isSync))
            offset = try offset.plus(size)
            start = try start.plus(duration)
        }
        let rest = samples.content.count - at
        guard rest == 0 else { throw OracleError("trun has \(rest) bytes too many") }
    }

    /// Checks that every sample lies in an mdat and gives its bytes, track by track.
    func payloads(_ bytes: [UInt8]) throws -> [[[UInt8]]] {
        let data = try OracleBox.parse(bytes, 0..<bytes.count).filter { $0.type == "mdat" }.map(\.content)
        return try tracks.map { track in
            try track.samples.map { sample in
                let range = sample.offset..<(try sample.offset.plus(sample.size))
                guard data.contains(where: { $0.lowerBound <= range.lowerBound && range.upperBound <= $0.upperBound })
                else { throw OracleError("track \(track.id): a sample at \(range) is in no mdat") }
                return Array(bytes[range])
            }
        }
    }
}

extension OracleTrack {
    init(_ bytes: [UInt8], _ box: OracleBox) throws {
        let header = try box.child("tkhd")
        let wide = try header.number(bytes, at: 0, 1) == 1
        id = try header.number(bytes, at: wide ? 20 : 12, 4)
        trackDuration = try header.number(bytes, at: wide ? 28 : 20, wide ? 8 : 4)
        let media = try box.child("mdia", "mdhd")
        let wideMedia = try media.number(bytes, at: 0, 1) == 1
        timescale = try media.number(bytes, at: wideMedia ? 20 : 12, 4)
        mediaDuration = try media.number(bytes, at: wideMedia ? 24 : 16, wideMedia ? 8 : 4)
        let handlerBox = try box.child("mdia", "hdlr").content
        guard handlerBox.count >= 25 else { throw OracleError("a short hdlr") }
        handler = String(decoding: bytes[handlerBox.lowerBound + 8..<handlerBox.lowerBound + 12], as: UTF8.self)
        name = String(decoding: bytes[handlerBox.lowerBound + 24..<handlerBox.upperBound - 1], as: UTF8.self)
        if let list = try? box.child("edts", "elst") {
            let size = try list.number(bytes, at: 0, 1) == 1 ? 8 : 4
            for index in 0..<(try list.number(bytes, at: 4, 4)) {
                let at = 8 + index * (2 * size + 4)
                edits.append([try list.number(bytes, at: at, size), try list.number(bytes, at: at + size, size)])
            }
        }
        let table = try box.child("mdia", "minf", "stbl")
        hasRollGroup = table.children.contains { $0.type == "sgpd" } && table.children.contains { $0.type == "sbgp" }
        func numbers(_ type: String, skipping: Int, size: Int = 4, row: Int = 1) throws -> [Int]? {
            guard let box = table.children.first(where: { $0.type == type })?.content else { return nil }
            guard box.count >= skipping, (box.count - skipping) % (size * row) == 0 else {
                throw OracleError("\(type) has a broken length")
            }
            return try stride(from: box.lowerBound + skipping, to: box.upperBound, by: size).map {
                try bytes.number(at: $0, size)
            }
        }
        let sizes = try numbers("stsz", skipping: 12) ?? []
        let durations = try numbers("stts", skipping: 8, row: 2) ?? []
        let sync = try numbers("stss", skipping: 8).map(Set.init)
        let lengths = try numbers("stsc", skipping: 8, row: 3) ?? []
        let chunks = try numbers("stco", skipping: 8) ?? numbers("co64", skipping: 8, size: 8) ?? []

        let rows = stride(from: 0, to: durations.count, by: 2)
        let count = rows.reduce(0) { $0 + durations[$1] }
        guard count == sizes.count else { throw OracleError("stts has \(count), stsz \(sizes.count)") }
        let each = rows.flatMap { Array(repeating: durations[$0 + 1], count: durations[$0]) }
        guard chunks.isEmpty || !lengths.isEmpty else { throw OracleError("chunks without lengths") }
        var next = 0
        var start = 0
        for (index, chunk) in chunks.enumerated() {
            var row = 0
            while row + 3 < lengths.count, lengths[row + 3] <= index + 1 { row += 3 }
            var offset = chunk
            for _ in 0..<lengths[row + 1] {
                guard next < sizes.count else { throw OracleError("chunks hold more than stsz") }
                samples.append(
                    OracleSample(
                        offset: offset, size: sizes[next], start: start, duration: each[next],
                        isSync: sync?.contains(next + 1) ?? true))
                offset = try offset.plus(sizes[next])
                start = try start.plus(each[next])
                next += 1
            }
        }
        guard next == sizes.count else { throw OracleError("chunks hold \(next) samples, stsz \(sizes.count)") }
    }
}

extension [UInt8] {
    /// The number of `size` bytes, the highest first, at an offset.
    func number(at offset: Int, _ size: Int) throws -> Int {
        guard offset >= 0, offset <= count - size else { throw OracleError("a number behind the end, at \(offset)") }
        let value = self[offset..<offset + size].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        guard let number = Int(exactly: value) else { throw OracleError("the number \(value) at \(offset)") }
        return number
    }
}

extension Int {
    fileprivate func plus(_ other: Int) throws -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        guard !overflows else { throw OracleError("\(self) and \(other) are too much") }
        return sum
    }
}
