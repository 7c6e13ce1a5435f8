// Gives libFuzzer's bytes to everything that the members of a group read of each other: packets between an extension and an app, the
// memory that packets name, and files and values of shared defaults. There must be no crash and no read outside the memory, and a value that was
// read can be written and read again.
import FoundationEssentials
import FuzzDriver
import KineMedia
import KineRings
import KineWire
import SystemPackage

@_cdecl("fuzz_exchange_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

/// One input: the kind, and its bytes.
private func fuzz(_ input: [UInt8]) {
    guard let kind = input.first else { return }
    let bytes = Array(input.dropFirst())
    switch kind % 5 {
    case 0: packet(bytes)
    case 1: defaults(file: bytes)
    case 2: defaults(entries: bytes)
    case 3: memory(bytes)
    default: value(Data(bytes))
    }
}

private func packet(_ bytes: [UInt8]) {
    guard let packet = bytes.withUnsafeBytes({ FramePacket($0) }) else { return }
    guard let written = packet.bytes else { return }
    precondition(written.withUnsafeBytes { FramePacket($0) } == packet, "a packet is read as another")
}

private func defaults(file: [UInt8]) {
    guard let snapshot = DefaultsFile.snapshot(of: file) else { return }
    guard let written = DefaultsFile.bytes(of: snapshot) else { preconditionFailure("a file too large to be written") }
    precondition(DefaultsFile.snapshot(of: written) == snapshot, "a file is read as another")
}

/// With a header that fits: hardly an input would get past the checksum by itself.
private func defaults(entries: [UInt8]) {
    let generation = [UInt8](repeating: 0, count: 7) + [1]
    func bigEndian(_ number: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } }
    let sum = (generation + entries).reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    let header = Array("KineDef1".utf8) + generation + bigEndian(UInt64(entries.count)) + bigEndian(sum)
    defaults(file: header + entries)
}

/// Any value, with everything that is in it.
private struct Anything: Decodable {
    init(from decoder: any Decoder) throws {
        if var list = try? decoder.unkeyedContainer() {
            while !list.isAtEnd { _ = try list.decode(Anything.self) }
        } else if let entries = try? decoder.container(keyedBy: Key.self) {
            for key in entries.allKeys { _ = try entries.decode(Anything.self, forKey: key) }
        } else {
            let value = try decoder.singleValueContainer()
            guard (try? value.decode(String.self)) == nil, (try? value.decode(Data.self)) == nil else { return }
            guard (try? value.decode(Date.self)) == nil, (try? value.decode(Double.self)) == nil else { return }
            _ = try value.decode(Bool.self)
        }
    }

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

private func value(_ bytes: Data) {
    guard BinaryPropertyList.canDecode(bytes) else { return }
    _ = try? PropertyListDecoder().decode([Anything].self, from: bytes)
}

private let layout = FrameSlotLayout(pixelFormat: .i420, visibleSize: PixelSize(width: 40, height: 24), slotCount: 3)
private let stream = StreamDescription(
    framesPerSecond: 30, video: nil, frames: layout,
    audio: [AudioFormat.pcm(.audioApp, sampleRate: 48000, channels: 2)],
    sampleRingBytes: 4096)

/// The memory of a hostile sender, and positions in it.
private func memory(_ bytes: [UInt8]) {
    var script = Script(bytes)
    // A page, a table of three frames in another, and the ring.
    guard let samples = try? SharedMemory(name: "samples", byteCount: 3 * 4096, access: .writableHereOnly),
        let frames = try? SharedMemory(name: "frames", byteCount: layout.byteCount, access: .writableHereOnly),
        let samplesCopy = try? samples.descriptor.duplicate(), let framesCopy = try? frames.descriptor.duplicate()
    else { return }
    withExtendedLifetime((samples, frames)) {
        for page in 0..<3 {
            for word in 0..<40 {
                samples.base.storeBytes(of: script.word(), toByteOffset: page * 4096 + word * 8, as: UInt64.self)
            }
        }
        guard let view = try? StreamView(stream, samples: samplesCopy, frames: framesCopy) else { return }
        while let choice = script.byte() {
            if choice & 1 == 0 {
                guard
                    let sample = SampleBuffer(
                        frameIn: Int(choice >> 1) - 2, sequence: script.word(), skipped: 0, isFirst: false, of: view)
                else { continue }
                let sum = sample.withPixels { pixels in pixels.copy().reduce(0, &+) }
                precondition(sum != nil, "a frame without pixels")
                _ = sample.damage
            } else {
                let position = choice & 2 == 0 ? UInt64(choice) * 8 : script.word()
                guard let sample = SampleBuffer(recordAt: position, of: view, in: stream) else { continue }
                precondition(sample.byteCount <= 4096, "a sample that is larger than the ring")
                _ = sample.withBytes { bytes in (0..<bytes.byteCount).reduce(0) { $0 &+ Int(bytes[$1]) } }
            }
        }
    }
}

extension Script {
    /// Zero at the end.
    fileprivate mutating func word() -> UInt64 { (0..<8).reduce(0) { word, _ in word << 8 | UInt64(byte() ?? 0) } }
}

extension RawSpan {
    fileprivate subscript(offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
}
