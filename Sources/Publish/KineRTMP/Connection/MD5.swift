// MD5 (RFC 1321), which both kinds of authentication require. Written here because swift-crypto would bring a second copy of
// BoringSSL.
import Glibc

enum MD5 {
    /// The 16 bytes of the digest.
    static func digest(_ text: String) -> [UInt8] {
        var message = Array(text.utf8)
        let bits = UInt64(message.count) * 8
        message.append(0x80)
        message.append(contentsOf: repeatElement(0, count: (120 - message.count % 64) % 64))
        message.append(littleEndian: UInt32(truncatingIfNeeded: bits))
        message.append(littleEndian: UInt32(truncatingIfNeeded: bits >> 32))

        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
        for block in stride(from: 0, to: message.count, by: 64) {
            let words = (0..<16).map { index in
                (0..<4).reduce(UInt32(0)) { $0 | UInt32(message[block + index * 4 + $1]) << UInt32(8 * $1) }
            }
            round(words, &state)
        }
        var digest: [UInt8] = []
        for word in state { digest.append(littleEndian: word) }
        return digest
    }

    /// Mixes one block into the state (section 3.4).
    private static func round(_ words: [UInt32], _ state: inout [UInt32]) {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        for step in 0..<64 {
            let mixed: UInt32
            let word: Int
            switch step / 16 {
            case 0: (mixed, word) = ((b & c) | (~b & d), step)
            case 1: (mixed, word) = ((d & b) | (~d & c), (5 * step + 1) % 16)
            case 2: (mixed, word) = (b ^ c ^ d, (3 * step + 5) % 16)
            default: (mixed, word) = (c ^ (b | ~d), 7 * step % 16)
            }
            let sum = a &+ mixed &+ sines[step] &+ words[word]
            let rotation = rotations[step / 16][step % 4]
            (a, d, c, b) = (d, c, b, b &+ (sum << rotation | sum >> (32 - rotation)))
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
    }

    private static let rotations: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]
    /// 2^32 times the sine of 1, 2, 3 … radians.
    private static let sines = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }

    static func hexadecimal(_ text: String) -> String {
        digest(text).reduce(into: "") { text, byte in
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }

    /// The digest in base 64 (RFC 4648, section 4).
    static func base64(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var result = ""
        let bytes = digest(text)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for index in 0...group.count { result.append(alphabet[Int(bits >> UInt32(18 - 6 * index)) & 63]) }
            result += String(repeating: "=", count: 3 - group.count)
        }
        return result
    }
}
