// The sample entries of H.264 and AAC: what a player must know before it decodes the first sample.
import KineMedia

enum SampleEntry {
    /// VisualSampleEntry `avc1` (ISO/IEC 14496-12, 12.1.3; ISO/IEC 14496-15, 5.4.2.1).
    static func video(_ format: VideoFormat) -> [UInt8] {
        var writer = BoxWriter()
        let size = format.size
        writer.box("avc1") {
            $0.zeros(6)
            $0.integer(UInt16(1))  // data_reference_index
            $0.zeros(16)
            // H.264 can crop 4:2:0 only to even sizes. An odd one is said here, in tkhd and in clap; a decoder that is
            // given a container size one less than its own leaves the last column or row out.
            $0.integer(UInt16(clamping: size.width))
            $0.integer(UInt16(clamping: size.height))
            $0.integer(UInt32(0x0048_0000))  // 72 dpi
            $0.integer(UInt32(0x0048_0000))
            $0.zeros(4)
            $0.integer(UInt16(1))  // frame_count
            $0.zeros(32)  // compressorname
            $0.integer(UInt16(0x18))  // depth: colour, no alpha
            $0.integer(UInt16(0xffff))
            $0.box("avcC") { $0.decoderConfiguration(format.parameterSets) }
            $0.box("colr") {  // ISO/IEC 14496-12, 12.1.5; code points of ITU-T H.273: BT.709, limited range
                $0.code("nclx")
                $0.integer(UInt16(1))
                $0.integer(UInt16(1))
                $0.integer(UInt16(1))
                $0.integer(UInt8(0))
            }
            $0.box("pasp") {
                $0.integer(UInt32(1))
                $0.integer(UInt32(1))
            }
            if size != size.roundedUpToEven {
                // Relative to the width and height above, hence no offset (ISO/IEC 14496-12, 12.1.4.1).
                $0.box("clap") {
                    for value in [size.width, 1, size.height, 1, 0, 1, 0, 1] { $0.integer(UInt32(clamping: value)) }
                }
            }
        }
        return writer.bytes
    }

    /// What `avcC` holds.
    static func decoderConfiguration(_ format: VideoFormat) -> [UInt8] {
        var writer = BoxWriter()
        writer.decoderConfiguration(format.parameterSets)
        return writer.bytes
    }

    /// AudioSampleEntry `mp4a` (ISO/IEC 14496-12, 12.2.3) with its `esds` (ISO/IEC 14496-14, 6.7).
    static func audio(_ format: AudioTrackFormat) -> [UInt8] {
        var writer = BoxWriter()
        writer.box("mp4a") {
            $0.zeros(6)
            $0.integer(UInt16(1))  // data_reference_index
            $0.zeros(8)
            $0.integer(UInt16(clamping: format.channels))
            $0.integer(UInt16(16))  // samplesize
            $0.zeros(4)
            // 16.16; a rate that does not fit is 0, and only the decoder's own configuration tells it.
            $0.integer(UInt32(format.sampleRate <= 0xffff ? format.sampleRate << 16 : 0))
            $0.fullBox("esds") { $0.elementaryStreamDescriptor(format) }
        }
        return writer.bytes
    }
}

extension BoxWriter {
    /// AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1).
    fileprivate mutating func decoderConfiguration(_ sets: H264ParameterSets) {
        let profile = sets.sequence.count >= 4 ? Array(sets.sequence[1...3]) : [100, 0, 40]
        integer(UInt8(1))
        append(profile)  // profile, constraint flags, level
        integer(UInt8(0xff))  // NAL unit lengths of four bytes
        integer(UInt8(0xe1))
        integer(UInt16(clamping: sets.sequence.count))
        append(sets.sequence)
        integer(UInt8(1))
        integer(UInt16(clamping: sets.picture.count))
        append(sets.picture)
        if [100, 110, 122, 144].contains(profile[0]) {
            integer(UInt8(0xfd))  // chroma_format 4:2:0
            integer(UInt8(0xf8))  // eight bits of luma
            integer(UInt8(0xf8))  // and of chroma
            integer(UInt8(0))  // no SPS extensions
        }
    }

    /// ES_Descriptor (ISO/IEC 14496-1, 7.2.6.5), its descriptors' lengths in one byte each.
    fileprivate mutating func elementaryStreamDescriptor(_ format: AudioTrackFormat) {
        let specific = format.audioSpecificConfig.prefix(64)
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
