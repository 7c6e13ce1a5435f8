// Sends a stamped take as an engine does: frames are drawn in whatever slot is free, without waiting.
import KineMedia
import KineRings

/// The engine's end of a stamped take. One thread sends frames, another may send samples.
public final class StampedFrames {
    private let memory: FrameMemory
    private let sender: StreamSender
    private var tiles = StampedTake.Tiles()
    /// For each slot, the frame whose tiles it holds.
    private var slots: [StampedTake.Tiles]
    private var free: FrameSlots = [0, 1, 2]
    /// Damage of frames for which there was no slot.
    private var missed = DamageRegion(size: StampedTake.layout.size)
    public private(set) var offered = 0

    public init(memory: FrameMemory, sender: StreamSender) {
        self.memory = memory
        self.sender = sender
        slots = [StampedTake.Tiles](repeating: StampedTake.Tiles(), count: StampedTake.layout.slotCount)
    }

    /// Draws the next frame and offers it, unless no slot is free.
    public func next() throws(StreamSender.Error) {
        let number = tiles.number + 1
        tiles.advance(to: number)
        for tile in StampedTake.changedTiles(number) { missed.insert(column: tile.column, row: tile.row) }
        for slot in try sender.reclaim() { free.insert(slot) }
        guard let slot = free.first(where: { _ in true }) else { return }
        let base = memory.slot(slot)
        for tile in tiles.stamps.indices where tiles.stamps[tile] != slots[slot].stamps[tile] {
            tiles.draw(tile, in: base)
        }
        slots[slot] = tiles
        free.remove(slot)
        let freed = try sender.offer(
            slot: slot, at: StampedTake.presentationTime(number), duration: .milliseconds(16), damage: missed,
            orientation: .up)
        for slot in freed { free.insert(slot) }
        missed.removeAll()
        offered += 1
    }
}

/// Samples for the ring, in turn: an encoded frame, then audio of each type.
public struct StampedSamples {
    private var number: UInt64 = 0
    private var wantsKeyframe = false
    public init() {}

    public mutating func next(to sender: StreamSender, withFrames: Bool) {
        number += 1
        if withFrames {
            if sender.consumeKeyframeRequest() { wantsKeyframe = true }
            let isKeyframe = wantsKeyframe || number % 30 == 1
            if isKeyframe { wantsKeyframe = false }
            sender.send(StampedTake.sample(.video, number, isKeyframe: isKeyframe))
        }
        sender.send(StampedTake.sample(.audioApp, number, isKeyframe: true))
        sender.send(StampedTake.sample(.audioMic, number, isKeyframe: true))
    }
}
