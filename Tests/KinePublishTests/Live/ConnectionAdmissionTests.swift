// Which connections are served, wait or are closed, as events arrive.
import Testing

@testable import KinePublish

@Suite struct ConnectionAdmissionTests {
    private typealias Admission = ConnectionAdmission<Int>

    private func admission(
        perAddress: Int = 2, unauthenticated: Int = 10, waiting: Int = 10, leastProgress: Int = 1,
        authenticated: Int = 10
    ) -> Admission {
        Admission(
            limits: .init(
                unauthenticatedPerAddress: perAddress, unauthenticated: unauthenticated, waiting: waiting,
                leastProgress: leastProgress,
                authenticated: authenticated))
    }

    @Test func `few connections of an address are served, and the others wait in their order`() {
        var admission = admission()
        #expect(admission.opened(1, from: "a") == [.serve(1)])
        #expect(admission.opened(2, from: "a") == [.serve(2)])
        #expect(admission.opened(3, from: "a") == [])
        #expect(admission.opened(4, from: "a") == [])
        #expect(admission.opened(5, from: "b") == [.serve(5)], "another address is not held up")
        #expect(admission.closed(2) == [.serve(3)])
        #expect(admission.closed(1) == [.serve(4)])
        #expect(admission.closed(9) == [])
    }

    @Test func `a connection that has shown a token takes no place`() {
        var admission = admission(perAddress: 1)
        for id in 1...5 {
            #expect(admission.opened(id, from: "proxy") == [.serve(id)])
            let (isAccepted, actions) = admission.showedToken(id)
            #expect(isAccepted && actions.isEmpty)
        }
        let (isAccepted, actions) = admission.showedToken(5)
        #expect(isAccepted && actions.isEmpty, "a second time is nothing new")
        #expect(admission.opened(6, from: "proxy") == [.serve(6)])
        #expect(admission.opened(7, from: "proxy") == [])
        #expect(admission.showedToken(6).actions == [.serve(7)])
    }

    @Test func `the number of viewers is limited`() {
        var admission = admission(authenticated: 1)
        _ = admission.opened(1, from: "a")
        _ = admission.opened(2, from: "b")
        #expect(admission.showedToken(1).isAccepted)
        #expect(!admission.showedToken(2).isAccepted)
        _ = admission.closed(1)
        #expect(admission.showedToken(2).isAccepted)
    }

    @Test func `an idle connection makes room for one that waits`() {
        var admission = admission()
        _ = admission.opened(1, from: "a")
        _ = admission.opened(2, from: "a")
        #expect(admission.becameIdle(2) == [])
        #expect(admission.becameIdle(1) == [])
        #expect(admission.opened(3, from: "a") == [.close(2)], "the one that has been idle longest")
        #expect(admission.opened(4, from: "a") == [], "one at a time")
        #expect(admission.closed(2) == [.serve(3), .close(1)])
        #expect(admission.closed(1) == [.serve(4)])
    }

    @Test func `a connection with another request is not idle`() {
        var admission = admission()
        _ = admission.opened(1, from: "a")
        _ = admission.opened(2, from: "a")
        _ = admission.becameIdle(1)
        admission.becameBusy(1)
        #expect(admission.opened(3, from: "a") == [])
        #expect(admission.becameIdle(1) == [.close(1)])
    }

    @Test func `when too many wait, the address with most of them loses its newest`() {
        var admission = admission(perAddress: 1, unauthenticated: 2, waiting: 3)
        _ = admission.opened(1, from: "a")
        _ = admission.opened(2, from: "b")
        for id in 3...5 { #expect(admission.opened(id, from: "a") == []) }
        #expect(admission.opened(6, from: "c") == [.close(5)])
        #expect(admission.closed(5) == [])
        #expect(admission.closed(2) == [.serve(6)], "those of a still have one")
    }

    @Test func `all addresses together are limited too`() {
        var admission = admission(perAddress: 2, unauthenticated: 3)
        for id in 1...3 { #expect(admission.opened(id, from: "\(id)") == [.serve(id)]) }
        #expect(admission.opened(4, from: "4") == [])
        #expect(admission.becameIdle(2) == [.close(2)])
        #expect(admission.closed(2) == [.serve(4)])
    }

    @Test func `while the queue is full, no more are accepted until half of it has been served`() {
        var admission = admission(perAddress: 1, waiting: 4)
        for id in 1...4 { _ = admission.opened(id, from: "a") }
        #expect(admission.acceptsMore)
        #expect(admission.opened(5, from: "a") == [])
        #expect(!admission.acceptsMore)
        #expect(admission.showedToken(1).actions == [.serve(2)])
        #expect(!admission.acceptsMore)
        #expect(admission.showedToken(2).actions == [.serve(3)])
        #expect(admission.acceptsMore)
    }

    @Test func `a crowd from one address is served completely, and none of it is closed`() {
        let crowd = 500
        var admission = Admission()
        var (arrived, served): (Int, [Int]) = (0, [])
        func note(_ actions: [Admission.Action]) {
            for action in actions {
                if case .serve(let id) = action { served.append(id) } else { Issue.record("\(action)") }
            }
        }
        var authenticated = 0
        while authenticated < crowd {
            while arrived < crowd, admission.acceptsMore {
                note(admission.opened(arrived, from: "proxy"))
                arrived += 1
            }
            let (isAccepted, actions) = admission.showedToken(served[authenticated])
            #expect(isAccepted)
            note(actions)
            authenticated += 1
        }
        #expect(served == Array(0..<crowd), "in the order they came")
        #expect(!admission.showedToken(crowd).isAccepted)
    }

    @Test func `peers that keep their places do not keep others in the kernel`() {
        var admission = admission(perAddress: 1, waiting: 4, leastProgress: 2)
        for id in 1...5 { _ = admission.opened(id, from: "silent") }
        #expect(!admission.acceptsMore)
        _ = admission.closed(1)
        #expect(admission.opened(6, from: "silent") == [])
        admission.secondOfPausePassed()
        #expect(admission.acceptsMore, "one was served, and it should have been two")
        #expect(admission.opened(7, from: "a") == [.serve(7)], "another address has places of its own")
        #expect(admission.opened(8, from: "a") == [.close(6)], "and its second costs the newest of those")
        #expect(admission.acceptsMore)
    }

    @Test func `a queue that moves keeps new connections in the kernel`() {
        var admission = admission(perAddress: 1, unauthenticated: 20, waiting: 8, leastProgress: 2)
        for id in 1...9 { _ = admission.opened(id, from: "a") }
        for id in [1, 2] { #expect(admission.closed(id) == [.serve(id + 1)]) }
        admission.secondOfPausePassed()
        #expect(!admission.acceptsMore)
        _ = admission.closed(3)
        admission.secondOfPausePassed()
        #expect(admission.acceptsMore, "what was served in an earlier second does not count")
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
            var admission = admission(perAddress: 2, unauthenticated: 4, waiting: 5, authenticated: 3)
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
                    guard admission.acceptsMore else { continue }
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
                case 4: admission.secondOfPausePassed()
                default: if let id = served.max() { note(admission.becameIdle(id)) }
                }
            }
            for id in open {
                (served, authenticated) = (served.subtracting([id]), authenticated.subtracting([id]))
                note(admission.closed(id))
            }
            for id in 1000..<1002 { #expect(admission.opened(id, from: "0") == [.serve(id)], "seed \(seed)") }
        }
    }
}
