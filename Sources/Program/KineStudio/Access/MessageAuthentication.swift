// HMAC (RFC 2104) by SHA-256 (FIPS 180-4), which browsers have in Web Crypto. BoringSSL for this one function would be the largest
// part of the build.
import Glibc

enum MessageAuthentication {
    private static let blockBytes = 64

    /// The 32 bytes of HMAC-SHA-256.
    static func code(of message: some Sequence<UInt8>, key: some Collection<UInt8>) -> [UInt8] {
        let short = key.count > blockBytes ? digest(Array(key)) : Array(key)
        let block = short + [UInt8](repeating: 0, count: blockBytes - short.count)
        return digest(block.map { $0 ^ 0x5c } + digest(block.map { $0 ^ 0x36 } + Array(message)))
    }

    /// The 32 bytes of SHA-256.
    static func digest(_ message: [UInt8]) -> [UInt8] {
        // Section 5.1.1: a bit of 1, zeros, and the length in bits.
        var padded = message + [0x80]
        padded += [UInt8](repeating: 0, count: (blockBytes * 2 - 8 - padded.count % blockBytes) % blockBytes)
        padded += bytes(of: UInt64(message.count) * 8)
        var state = initial
        for start in stride(from: 0, to: padded.count, by: blockBytes) {
            update(&state, with: padded[start..<start + blockBytes])
        }
        return state.flatMap(bytes)
    }

    /// Section 6.2.2.
    private static func update(_ state: inout [UInt32], with block: ArraySlice<UInt8>) {
        var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
            block[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<64 {
            let (near, far) = (words[index - 2], words[index - 15])
            words.append(
                (rotated(near, 17) ^ rotated(near, 19) ^ near >> 10) &+ words[index - 7]
                    &+ (rotated(far, 7) ^ rotated(far, 18) ^ far >> 3) &+ words[index - 16])
        }
        var v = state
        for (word, constant) in zip(words, constants) {
            let choice = v[4] & v[5] ^ ~v[4] & v[6]
            let first = v[7] &+ (rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25)) &+ choice &+ constant &+ word
            let majority = v[0] & v[1] ^ v[0] & v[2] ^ v[1] & v[2]
            let second = (rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22)) &+ majority
            v = [first &+ second, v[0], v[1], v[2], v[3] &+ first, v[4], v[5], v[6]]
        }
        state = zip(state, v).map { $0 &+ $1 }
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    private static func bytes(of number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    // Sections 4.2.2 and 5.3.3: the first 32 bits of the fractions of roots of the first primes.
    private static let primes = (2...311).filter { number in !(2..<number).contains { number.isMultiple(of: $0) } }
    private static let constants = primes.map { fraction(of: cbrt(Double($0))) }
    private static let initial = primes.prefix(8).map { fraction(of: Double($0).squareRoot()) }

    private static func fraction(of root: Double) -> UInt32 {
        UInt32(root.truncatingRemainder(dividingBy: 1) * 4_294_967_296)
    }
}
