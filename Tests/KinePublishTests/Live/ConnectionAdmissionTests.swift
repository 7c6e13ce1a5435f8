// Which connections are served, wait or are closed, as events arrive.
import Testing

@testable import KinePublish

@Suite struct ConnectionAdmissionTests {
    private typealias Admission = ConnectionAdmission<Int>

    private func admission(
        perAddress: Int = 2, unauthenticated: Int = 10, unserved: Int = 10, authenticated: Int = 10
    ) -> Admission {
        Admission(
            limits: .init(
                unauthenticatedPerAddress: perAddress, unauthenticated: unauthenticated, unserved: unserved,
                authenticated: authenticated))
    }

    @Test func `few connections of an address are served, and the others wait, the newest first`() {
        var admission = admission()
        #expect(admission.came(1, from: "a") == [.serve(1)])
        #expect(admission.came(2, from: "a") == [.serve(2)])
        #expect(admission.came(3, from: "a") == [])
        #expect(admission.came(4, from: "a") == [])
        #expect(admission.came(5, from: "b") == [.serve(5)], "another address is not held up")
        #expect(admission.closed(2) == [.serve(4)])
        #expect(admission.closed(1) == [.serve(3)])
        #expect(admission.closed(9) == [])
    }

    @Test func `a connection that has shown a token takes no place`() {
        var admission = admission(perAddress: 1)
        for id in 1...5 {
            #expect(admission.came(id, from: "proxy") == [.serve(id)])
            let (isAccepted, actions) = admission.showedToken(id)
            #expect(isAccepted && actions.isEmpty)
        }
        let (isAccepted, actions) = admission.showedToken(5)
        #expect(isAccepted && actions.isEmpty, "a second time is nothing new")
        #expect(admission.came(6, from: "proxy") == [.serve(6)])
        #expect(admission.came(7, from: "proxy") == [])
        #expect(admission.showedToken(6).actions == [.serve(7)])
    }

    @Test func `the number of viewers is limited`() {
        var admission = admission(authenticated: 1)
        _ = admission.came(1, from: "a")
        _ = admission.came(2, from: "b")
        #expect(admission.showedToken(1).isAccepted)
        #expect(!admission.showedToken(2).isAccepted)
        _ = admission.closed(1)
        #expect(admission.showedToken(2).isAccepted)
    }

    @Test func `an idle connection makes room for one that waits`() {
        var admission = admission()
        _ = admission.came(1, from: "a")
        _ = admission.came(2, from: "a")
        #expect(admission.yields(2) == [])
        #expect(admission.yields(1) == [])
        #expect(admission.came(3, from: "a") == [.close(2)], "the one that has been idle longest")
        #expect(admission.came(4, from: "a") == [], "one at a time")
        #expect(admission.closed(2) == [.serve(4), .close(1)])
        #expect(admission.closed(1) == [.serve(3)])
    }

    @Test func `a connection with another request is not idle`() {
        var admission = admission()
        _ = admission.came(1, from: "a")
        _ = admission.came(2, from: "a")
        _ = admission.yields(1)
        admission.asked(1)
        #expect(admission.came(3, from: "a") == [])
        #expect(admission.yields(1) == [.close(1)])
    }

    @Test func `a silent connection needs no place, and the oldest of too many gives way to the next`() {
        var admission = admission(perAddress: 1, unserved: 3)
        for id in 1...3 { #expect(admission.opened(id, from: "a") == []) }
        #expect(admission.came(4, from: "a") == [.close(1), .serve(4)])
        #expect(admission.closed(1) == [])
        #expect(admission.spoke(2) == [])
        #expect(admission.opened(5, from: "b") == [])
        #expect(admission.opened(6, from: "b") == [.close(3)], "one that waits has said something")
        #expect(admission.spoke(3) == [])
    }

    @Test func `where none is silent, the one that has waited longest gives way`() {
        var admission = admission(perAddress: 1, unserved: 2)
        for id in 1...3 { _ = admission.came(id, from: "a") }
        #expect(admission.opened(4, from: "a") == [.close(2)])
        #expect(admission.spoke(4) == [])
        #expect(admission.closed(1) == [.serve(4)])
    }

    @Test(arguments: [false, true])
    func `three hundred that say nothing, or half a request, do not keep a viewer out`(isHalf: Bool) {
        var admission = Admission()
        for id in 0..<300 { _ = isHalf ? admission.came(id, from: "a") : admission.opened(id, from: "a") }
        guard isHalf else {
            #expect(admission.came(300, from: "a") == [.serve(300)])
            return
        }
        #expect(admission.came(300, from: "a") == [])
        #expect(admission.delayed(5).actions == [.close(5)])
        #expect(admission.closed(5) == [.serve(300)])
    }

    @Test func `a slow connection keeps its place while others of its address show tokens`() {
        var admission = admission()
        for id in 1...4 { _ = admission.came(id, from: "a") }
        #expect(admission.showedToken(2).actions == [.serve(4)])
        let first = admission.delayed(1)
        #expect(first.isToBeWatched && first.actions == [])
        let second = admission.delayed(1)
        #expect(!second.isToBeWatched && second.actions == [.close(1)], "nothing has happened since")
        let viewer = admission.delayed(2)
        #expect(!viewer.isToBeWatched && viewer.actions == [], "a viewer is not watched")
    }

    @Test func `all addresses together are limited too`() {
        var admission = admission(perAddress: 2, unauthenticated: 3)
        for id in 1...3 { #expect(admission.came(id, from: "\(id)") == [.serve(id)]) }
        #expect(admission.came(4, from: "4") == [])
        #expect(admission.yields(2) == [.close(2)])
        #expect(admission.closed(2) == [.serve(4)])
    }

    @Test func `a crowd from one address is served completely, and none of it is closed`() {
        var admission = Admission()
        var served: [Int] = []
        func note(_ actions: [Admission.Action]) {
            for action in actions {
                if case .serve(let id) = action { served.append(id) } else { Issue.record("\(action)") }
            }
        }
        for id in 0..<500 { note(admission.came(id, from: "proxy")) }
        var authenticated = 0
        while authenticated < served.count {
            let (isAccepted, actions) = admission.showedToken(served[authenticated])
            #expect(isAccepted)
            note(actions)
            authenticated += 1
        }
        #expect(Set(served) == Set(0..<500) && served.count == 500)
        note(admission.came(500, from: "proxy"))
        #expect(!admission.showedToken(500).isAccepted)
    }

    /// Random events: the limits hold, and when all connections have closed, nothing is left.
    @Test func `in any order of events the limits hold and nothing is left over`() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var state = seed
        func number(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        for _ in 0..<50 {
            var admission = admission(perAddress: 2, unauthenticated: 4, unserved: 5, authenticated: 3)
            var open: [Int] = []
            var served: Set<Int> = []
            var authenticated: Set<Int> = []
            func note(_ actions: [Admission.Action]) {
                for action in actions {
                    if case .serve(let id) = action { #expect(served.insert(id).inserted, "seed \(seed)") }
                }
                #expect(served.subtracting(authenticated).count <= 4, "seed \(seed)")
            }
            for id in 0..<200 {
                switch number(6) {
                case 0, 1:
                    open.append(id)
                    note(admission.opened(id, from: "\(number(3))"))
                case 2:
                    guard !open.isEmpty else { continue }
                    let id = open.remove(at: number(open.count))
                    (served, authenticated) = (served.subtracting([id]), authenticated.subtracting([id]))
                    note(admission.closed(id))
                case 3:
                    guard let id = served.min() else { continue }
                    let (isAccepted, actions) = admission.showedToken(id)
                    if isAccepted { authenticated.insert(id) }
                    #expect(authenticated.count <= 3, "seed \(seed)")
                    note(actions)
                case 4: if !open.isEmpty { note(admission.spoke(open[number(open.count)])) }
                default: if let id = served.max() { note(admission.yields(id)) }
                }
            }
            for id in open {
                (served, authenticated) = (served.subtracting([id]), authenticated.subtracting([id]))
                note(admission.closed(id))
            }
            for id in 1000..<1002 { #expect(admission.came(id, from: "0") == [.serve(id)], "seed \(seed)") }
        }
    }
}

extension ConnectionAdmission {
    /// A connection is opened and speaks at once.
    fileprivate mutating func came(_ id: ID, from address: String) -> [Action] {
        opened(id, from: address) + spoke(id)
    }
}
