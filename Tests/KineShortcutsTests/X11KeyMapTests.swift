// Which keys of a keyboard are grabbed, and which presses count.
import KineConfiguration
import Testing

@testable import KineShortcuts

@Suite struct X11KeyMapTests {
    /// US and German beside each other, which exchange Y and Z, and Russian, which has neither; F9 has one layout.
    private static let map = X11KeyMap(
        symbols: [
            27: [[0x72], [0x72], [0x6cb]], 29: [[0x79], [0x7a], [0x6ce]], 52: [[0x7a], [0x79], [0x6d1]],
            75: [[0xffc6]], 87: [[0xff9c, 0xffb1]], 133: [[0xffeb]], 64: [[0xffe9]], 77: [[0xff7f]], 78: [[0xff14]],
        ],
        modifiers: [[50], [66], [37], [64], [77], [], [133], []])

    private func grabbed(_ text: String) throws -> X11KeyMap.Grab? { Self.map.grab(of: try KeyCombination(text)) }

    @Test func `each layout has its key, and a layout without the letter that of another`() throws {
        #expect(try grabbed("Super+Y") == X11KeyMap.Grab(keys: [[29], [52], [29]], mask: 0x40))
        #expect(try grabbed("Super+Shift+R") == X11KeyMap.Grab(keys: [[27], [27], [27]], mask: 0x41))
        #expect(try grabbed("Ctrl+Alt+F9") == X11KeyMap.Grab(keys: [[75], [75], [75]], mask: 0x0c))
        #expect(try grabbed("Ctrl+KP_1")?.allKeys == [87])
        #expect(try grabbed("Ctrl+q") == nil)
    }

    @Test func `a keyboard that does not write the symbol has it where an American one has`() throws {
        var map = X11KeyMap(modifiers: Self.map.modifiers)
        map.symbols = Self.map.symbols.filter { $0.key > 61 }
        for (text, key) in [
            ("1", 10), ("equal", 21), ("q", 24), ("grave", 49), ("backslash", 51), ("z", 52), ("slash", 61),
        ] {
            let combination = try KeyCombination("Super+\(text)")
            map.symbols[UInt8(key)] = [[0x6ca]]
            #expect(map.grab(of: combination)?.keys == [[UInt8(key)]])
            map.symbols[UInt8(key)] = nil
            #expect(map.grab(of: combination) == nil)
        }
        #expect(map.grab(of: try KeyCombination("Super+Cyrillic_ef")) == nil)
    }

    @Test func `a modifier without a key holds nothing`() throws {
        var map = Self.map
        map.modifiers[6] = []
        #expect(map.grab(of: try KeyCombination("Super+Y")) == nil)
        #expect(X11KeyMap().grab(of: try KeyCombination("Print")) == nil)
    }

    @Test func `locks do not count, and all of them are grabbed`() throws {
        #expect(Self.map.ignored == 0x12)
        #expect(Self.map.ignoredStates == [0, 0x02, 0x10, 0x12])
        let grab = try #require(try grabbed("Super+Y"))
        for locks in Self.map.ignoredStates {
            #expect(Self.map.isPress(of: grab, key: 29, state: 0x40 | locks))
            #expect(!Self.map.isPress(of: grab, key: 29, state: 0x44 | locks))
        }
    }

    private static let places: [(UInt8, UInt16, Bool)] = [
        (29, 0, true), (52, 0, false), (29, 1, false), (52, 1, true), (29, 2, true),
    ]

    @Test(arguments: places)
    func `the layout decides which key it is`(key: UInt8, layout: UInt16, isPress: Bool) throws {
        let grab = try #require(try grabbed("Super+Y"))
        #expect(Self.map.isPress(of: grab, key: key, state: 0x40 | layout << 13) == isPress)
    }
}
