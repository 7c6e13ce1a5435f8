// The bytes in NAL units that keep start codes from appearing (ITU-T H.264, 7.4.1.1; H.265, 7.4.2).

/// Three bytes 0 0 x with x < 4 carry a 3 before x.
package enum EmulationPrevention {
    package static func removed(from unit: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var zeros = 0
        for byte in unit {
            if zeros >= 2 && byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            result.append(byte)
        }
        return result
    }

    package static func added(to payload: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var zeros = 0
        for byte in payload {
            if zeros >= 2 && byte < 4 {
                result.append(3)
                zeros = 0
            }
            zeros = byte == 0 ? zeros + 1 : 0
            result.append(byte)
        }
        return result
    }
}
