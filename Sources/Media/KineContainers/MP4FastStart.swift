// Moves the index of a finished file to its front, so that a player can begin before it has the end. Writes a new file
// and then replaces the old one.

public enum MP4FastStart {
    public enum Error: Swift.Error, Equatable {
        case storage(StorageError)
        /// Finish the recording first (`MP4Recovery`).
        case notFinished(path: String)
        /// The file was not written by Kinecast, or is damaged.
        case notARecording(path: String)
        /// It has more samples than are kept in memory. Moving an index keeps none of them.
        case tooLong(path: String)
    }

    /// Rewrites the file at `path` with its index first. Does nothing if it is first already. Needs as much space as
    /// the file, unless the file system lets files share blocks, and memory as large as the index.
    ///
    /// If this throws, or the process dies, the file is unchanged: the new file gets its name when it is complete. On
    /// file systems without unnamed files, the next move or recovery removes the temporary file.
    public static func moveIndexToFront(_ path: String) throws(Error) {
        do {
            let file = try DiskFile.open(DiskFile.resolved(path))  // replaces the file, not a link to it
            guard let plan = try plan(for: file) else { return }
            try rewrite(file, plan)
        } catch let error as Error {
            throw error
        } catch {
            throw .storage(error as? StorageError ?? .failed(operation: "rewrite", path: path, code: 0))
        }
    }

    /// The contents of the new file: a new head, followed by a part of the old file.
    public struct Plan: Sendable, Equatable {
        public var head: [UInt8]
        public var rest: Range<Int64>
    }

    /// The file with its index first; nil if it is first already. Reads little more than the index.
    public static func plan(for file: any StorageFile) throws -> Plan? {
        let index: Int64
        switch try RecordingState(of: file) {
        case .indexFirst: return nil
        case .recording, .empty: throw Error.notFinished(path: file.path)
        case .foreign: throw Error.notARecording(path: file.path)
        case .finished(let offset): index = offset
        }
        let start = RecordingLayout.switchOffset
        guard index >= start + 16, try FinishedMovie(in: file, at: index)?.isWhole == true,
            let content = try file.content(of: "moov", at: index, atMost: 1 << 30),
            index + Int64(content.count) + 8 == (try file.size()),
            let moved = try? movie(content, movedBy: Int64(content.count) + 8)
        else { throw Error.notARecording(path: file.path) }
        return Plan(head: try file.read(at: 0, count: Int(start)) + moved, rest: start..<index)
    }

    private static func rewrite(_ file: DiskFile, _ plan: Plan) throws {
        let end = Int64(plan.head.count) + plan.rest.upperBound - plan.rest.lowerBound
        let result = try DiskFile.createReplacement(for: file.path)
        do {
            try result.reserve(through: end)
            try result.write(plan.head, at: 0)
            try result.copy(from: file, range: plan.rest, to: Int64(plan.head.count))
            try result.truncate(to: end)
            try result.synchronize()
            try result.replaceTarget(like: file)
        } catch {
            result.discardTemporary()
            throw error
        }
    }

    /// A moov with all chunk offsets increased by `distance`. Its size stays: the writer chooses the width of the
    /// offsets so that this always fits (`RecordingLayout.finish`).
    private static func movie(_ content: [UInt8], movedBy distance: Int64) throws(MalformedBox) -> [UInt8] {
        var writer = BoxWriter()
        writer.box("moov") { $0.append(content) }
        var bytes = writer.bytes
        let movie = try BoxReader(bytes).box("moov")
        for track in try movie.all("trak") {
            let table = try track.box("mdia", "minf", "stbl")
            let wide = try table.first("stco") == nil
            var offsets = try table.box(wide ? "co64" : "stco")
            try offsets.skip(4)
            let count = Int(try offsets.integer(UInt32.self))
            guard offsets.remaining == count * (wide ? 8 : 4) else { throw MalformedBox() }
            for _ in 0..<count {
                let position = offsets.position
                let old = try offsets.integer(wide: wide)
                let (new, overflow) = old.addingReportingOverflow(UInt64(distance))
                guard !overflow, wide || new <= UInt32.max else { throw MalformedBox() }
                for byte in 0..<(wide ? 8 : 4) {
                    bytes[position + byte] = UInt8(truncatingIfNeeded: new >> UInt64(8 * ((wide ? 7 : 3) - byte)))
                }
            }
        }
        return bytes
    }
}
