// Which streams have the audio of all outputs: outputs that play other outputs' sound, as servers report them.
import Testing

@testable import KinePulse

@Suite struct AudioRoutingTests {
    /// Outputs called a, b, …, with the indices 0, 1, …; their monitors have the indices 10, 11, ….
    private func inventory(_ outputs: Int, owners: [Int: AudioLink] = [:]) -> AudioInventory {
        var inventory = AudioInventory()
        inventory.outputs = (0..<outputs).map { index in
            let name = String(UnicodeScalar(UInt8(97 + index)))
            var output = AudioInventory.Output(
                index: UInt32(index), name: name, description: name, monitor: "\(name).monitor",
                monitorIndex: UInt32(10 + index))
            output.links = owners[index].map { [$0] } ?? [.module(UInt32(1000 + index))]
            return output
        }
        return inventory
    }

    private func playback(_ index: UInt32, on output: UInt32, _ links: AudioLink...) -> AudioInventory.Playback {
        var playback = AudioInventory.Playback(index: index, output: output, application: "", binary: "")
        playback.links = Set(links)
        return playback
    }

    /// Lets what plays on one output be heard on another, as module-loopback does.
    private func loop(_ inventory: inout AudioInventory, from: UInt32, to: UInt32, _ link: AudioLink) {
        inventory.recordings.append(.init(source: 10 + from, links: [link]))
        inventory.playbacks.append(playback(100 + from, on: to, link))
    }

    private func monitors(_ names: String...) -> [AudioSource] { names.map { .source("\($0).monitor") } }

    @Test func `outputs that have nothing to do with each other are all recorded`() {
        var inventory = inventory(3)
        inventory.playbacks = [playback(1, on: 0), playback(2, on: 2)]
        // A microphone that is heard on an output is no output.
        inventory.recordings = [.init(source: 99, links: [.module(5)])]
        inventory.playbacks.append(playback(3, on: 1, .module(5)))
        #expect(inventory.everything == monitors("a", "b", "c"))
        #expect(AudioTarget.everything.sources(in: AudioInventory()) == [])
    }

    @Test(arguments: [AudioLink.module(7), .group("loopback-1")])
    func `an output that is passed on to another one is heard there`(link: AudioLink) {
        var inventory = inventory(3)
        loop(&inventory, from: 1, to: 0, link)
        #expect(inventory.everything == monitors("a", "c"))
        loop(&inventory, from: 2, to: 1, .module(8))
        #expect(inventory.everything == monitors("a"), "by way of the second one")
    }

    @Test func `a filter that plays on another output is heard there`() {
        var inventory = inventory(2, owners: [0: .group("filter-chain-1")])
        inventory.playbacks = [playback(1, on: 1, .group("filter-chain-1")), playback(2, on: 0)]
        #expect(inventory.everything == monitors("b"))
    }

    @Test func `of outputs that play each other's sound one is recorded`() {
        var inventory = inventory(3)
        loop(&inventory, from: 0, to: 1, .module(7))
        loop(&inventory, from: 1, to: 0, .module(8))
        loop(&inventory, from: 2, to: 1, .module(9))
        #expect(inventory.everything == monitors("a"))
    }

    @Test func `of combined outputs, the combination is recorded, and what else plays on them`() {
        var inventory = inventory(3, owners: [2: .module(7)])
        inventory.playbacks = [playback(1, on: 0, .module(7)), playback(2, on: 1, .module(7)), playback(3, on: 1)]
        #expect(inventory.everything == [.playback(3, output: 1)] + monitors("c"))
    }
}
