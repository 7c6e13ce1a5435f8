// Sample entries: the parameters that a player needs before it decodes the first sample.
import KineMedia

enum SampleEntry {
    /// VisualSampleEntry (ISO/IEC 14496-12, 12.1.3): `avc1` and `hvc1` of ISO/IEC 14496-15 (5.4.2.1, 8.4.1), `av01` of
    /// AV1-ISOBMFF (2.2).
    static func video(_ format: VideoFormat) -> [UInt8] {
        var writer = BoxWriter()
        writer.box(FourCharacterCode(rawValue: format.codec.fourCharacterCode)) {
            $0.visualFields(format.size)
            $0.box(format.codec.configurationBox) { $0.decoderConfigurationRecord(format.parameterSets) }
            $0.presentation(format)
        }
        return writer.bytes
    }

    /// The size of a video's sample entry, in pixels; nil if the box is cut off.
    static func size(of entry: [UInt8]) -> PixelSize? {
        var reader = BoxReader(entry)
        guard (try? reader.skip(8 + 24)) != nil, let width = try? reader.integer(UInt16.self),
            let height = try? reader.integer(UInt16.self)
        else { return nil }
        return PixelSize(width: Int(width), height: Int(height))
    }

    /// AudioSampleEntry `mp4a` (ISO/IEC 14496-12, 12.2.3) with its `esds` (ISO/IEC 14496-14, 6.7).
    static func audio(_ format: AudioFormat) -> [UInt8] {
        var writer = BoxWriter()
        writer.box("mp4a") {
            $0.zeros(6)
            $0.integer(UInt16(1))  // data_reference_index
            $0.zeros(8)
            $0.integer(UInt16(clamping: format.channels))
            $0.integer(UInt16(16))  // samplesize
            $0.zeros(4)
            // 16.16; 0 if the rate does not fit: then only the decoder's configuration has it.
            $0.integer(UInt32(format.sampleRate <= 0xffff ? format.sampleRate << 16 : 0))
            $0.fullBox("esds") { $0.elementaryStreamDescriptor(format) }
        }
        return writer.bytes
    }
}

extension SampleEntry {
    /// TextMetaDataSampleEntry (ISO/IEC 14496-12, 12.3.3.2): the text is not compressed.
    static let input: [UInt8] = {
        var writer = BoxWriter()
        writer.box("mett") {
            $0.zeros(6)
            $0.integer(UInt16(1))  // data_reference_index
            $0.append([0])  // content_encoding
            $0.append(Array(inputFormat.utf8) + [0])
        }
        return writer.bytes
    }()

    /// The media type of the input track's samples (docs/input-track.md).
    static let inputFormat = "application/x-kinecast-input"
}

// A change of the video's format while a file is recorded: from then on a free box before each fragment, which players skip,
// with the sample entry of the fragment's frames. Only a finished file can have a second entry in its index.
extension SampleEntry {
    /// The bytes of a mark: 16 and a sample entry, which begins with its header and the fields of a VisualSampleEntry.
    static let markSizes = 16 + 86...4096
    /// As in the mark of a chapter, its second half is not "moov".
    private static let magic = Array("kineform".utf8)

    static func mark(_ entry: [UInt8]) -> [UInt8] {
        var writer = BoxWriter()
        writer.box("free") {
            $0.append(magic)
            $0.append(entry)
        }
        return writer.bytes
    }

    /// The beginning of the mark that ends with these bytes, as an index; nil: they end with none.
    static func start(ofMarkEnding bytes: ArraySlice<UInt8>) -> Int? {
        bytes.indices.dropLast(markSizes.lowerBound - 1).first { index in
            let box = bytes[index...]
            var header = BoxReader(box)
            return (try? header.integer(UInt32.self)).map(Int.init) == box.count && (try? entry(inMark: box)) != nil
        }
    }

    /// The sample entry in a mark, which is one whole box. Its size is one that a frame can have.
    static func entry(inMark bytes: ArraySlice<UInt8>) throws(MalformedBox) -> [UInt8] {
        var content = try BoxReader(bytes).box("free")
        guard content.rest().starts(with: magic) else { throw MalformedBox() }
        try content.skip(magic.count)
        let entry = Array(content.rest())
        let longest = VideoCodec.frameSides.upperBound
        guard try content.nextBox() != nil, content.remaining == 0, let size = Self.size(of: entry),
            max(size.width, size.height) <= longest
        else { throw MalformedBox() }
        return entry
    }
}

extension BoxWriter {
    /// The fields of every VisualSampleEntry.
    fileprivate mutating func visualFields(_ size: PixelSize) {
        zeros(6)
        integer(UInt16(1))  // data_reference_index
        zeros(16)
        // The coded size is even. An odd size stands here, in tkhd and in clap: a decoder whose container has one pixel
        // less than its stream omits the last column or row.
        integer(UInt16(clamping: size.width))
        integer(UInt16(clamping: size.height))
        integer(UInt32(0x0048_0000))  // 72 dpi
        integer(UInt32(0x0048_0000))
        zeros(4)
        integer(UInt16(1))  // frame_count
        zeros(32)  // compressorname
        integer(UInt16(0x18))  // depth: colour, no alpha
        integer(UInt16(0xffff))
    }

    /// Colours, pixel aspect ratio, and the part to show of an odd size (ISO/IEC 14496-12, 12.1.4 and 12.1.5).
    fileprivate mutating func presentation(_ format: VideoFormat) {
        box("colr") {  // code points of ITU-T H.273: BT.709
            $0.code("nclx")
            for _ in 0..<3 { $0.integer(UInt16(1)) }
            $0.integer(UInt8(format.parameterSets.colour.isFullRange ? 0x80 : 0))  // full_range_flag
        }
        box("pasp") {
            $0.integer(UInt32(1))
            $0.integer(UInt32(1))
        }
        let size = format.size
        guard size != size.roundedUpToEven else { return }
        // Relative to the width and height above, so there is no offset (12.1.4.1).
        box("clap") {
            for value in [size.width, 1, size.height, 1, 0, 1, 0, 1] { $0.integer(UInt32(clamping: value)) }
        }
    }

    /// ES_Descriptor (ISO/IEC 14496-1, 7.2.6.5). Each descriptor has a one-byte length.
    fileprivate mutating func elementaryStreamDescriptor(_ format: AudioFormat) {
        let specific = format.configuration.prefix(64)
        integer(UInt8(0x03))
        integer(UInt8(3 + 2 + 13 + 2 + specific.count + 3))
        integer(UInt16(0))  // ES_ID: 0 in a file (ISO/IEC 14496-14, 3.1.2)
        integer(UInt8(0))
        integer(UInt8(0x04))  // DecoderConfigDescriptor
        integer(UInt8(13 + 2 + specific.count))
        integer(UInt8(0x40))  // MPEG-4 audio
        integer(UInt8(0x15))  // audio stream
        let buffer = UInt32(clamping: 768 * format.channels)  // 6144 bits a channel (ISO/IEC 14496-3, 4.5.3.1)
        integer(UInt8(truncatingIfNeeded: buffer >> 16))
        integer(UInt16(truncatingIfNeeded: buffer))
        integer(UInt32(clamping: format.bitrate))  // maxBitrate
        integer(UInt32(clamping: format.bitrate))  // avgBitrate
        integer(UInt8(0x05))  // DecoderSpecificInfo
        integer(UInt8(specific.count))
        append(Array(specific))
        integer(UInt8(0x06))  // SLConfigDescriptor, predefined for MP4
        integer(UInt8(1))
        integer(UInt8(2))
    }
}
