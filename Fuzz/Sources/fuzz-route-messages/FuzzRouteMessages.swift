// Gives libFuzzer's bytes to the reader of the kernel's messages on networks. Whatever they are: no crash, the same answer as a
// second reading of netlink(7), and an answer that no further bytes take back.
import FuzzDriver

@_cdecl("fuzz_route_messages_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

/// One input: its first byte says where the rest is cut, which is what one read from the socket has given.
private func fuzz(_ input: [UInt8]) {
    guard let choice = input.first else { return }
    let bytes = Array(input.dropFirst())
    let answer = tells(bytes)
    precondition(answer == oracle(bytes[...]), "the second reading disagrees")
    precondition(answer || !tells(Array(bytes.prefix(Int(choice)))), "more bytes took a network back")
}

private func tells(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes(RouteMessages.announceNetwork) }

/// Message for message from the front, as long as they are whole. The numbers are those of linux/rtnetlink.h and linux/if.h.
private func oracle(_ bytes: ArraySlice<UInt8>) -> Bool {
    func number(_ offset: Int, _ size: Int) -> Int {
        bytes.dropFirst(offset).prefix(size).reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    guard bytes.count >= 16, 16...bytes.count ~= number(0, 4) else { return false }
    switch number(4, 2) {
    case 20, 24: return true
    case 16 where number(0, 4) >= 28 && number(24, 4) & 0x10000 != 0: return true
    default: return oracle(bytes.dropFirst((number(0, 4) + 3) / 4 * 4))
    }
}
