import YAML

/// Which jobs need which, over all manifests that were read: needs that nobody is, and circles, in which none could
/// ever run. Linear in the number of needs, and without recursion, since a folder may hold any chain.
struct NeedGraph {
    struct Node {
        /// Empty for a manifest that has none.
        let name: String
        let needs: [Placed<String>]
    }

    /// What is wrong with a need, and in which node.
    struct Problem {
        let node: Int
        let position: SourcePosition
        let message: String
    }

    private let nodes: [Node]
    private(set) var problems: [Problem] = []

    init(_ nodes: [Node]) {
        self.nodes = nodes
        guard nodes.contains(where: { !$0.needs.isEmpty }) else { return }
        var owners: [String: Int] = [:]
        for (index, node) in nodes.enumerated() where owners[node.name] == nil { owners[node.name] = index }
        let edges = nodes.map { node in node.needs.map { owners[$0.value] } }
        noteUnknown(edges, names: nodes.map(\.name).filter { !$0.isEmpty })
        noteCircles(edges)
    }

    private mutating func noteUnknown(_ edges: [[Int?]], names: [String]) {
        for (index, node) in nodes.enumerated() {
            for (need, edge) in zip(node.needs, edges[index]) where edge == nil {
                let meant = Spelling.suggestion(for: need.value, among: names).map { "; did you mean '\($0)'?" }
                problems.append(
                    Problem(
                        node: index, position: need.position,
                        message: "needs: there is no job \(quoted(need.value))\(meant ?? "")"))
            }
        }
    }

    /// Goes down the needs in depth; a need that is on the way already closes a circle.
    private mutating func noteCircles(_ edges: [[Int?]]) {
        enum State { case new, onTheWay, done }
        var states = [State](repeating: .new, count: nodes.count)
        var noted: Set<Int> = []
        for root in nodes.indices where states[root] == .new {
            var way: [(node: Int, next: Int)] = [(root, 0)]
            states[root] = .onTheWay
            while let (node, next) = way.last {
                guard next < edges[node].count else {
                    states[node] = .done
                    way.removeLast()
                    continue
                }
                way[way.count - 1].next += 1
                guard let target = edges[node][next] else { continue }
                switch states[target] {
                case .new:
                    states[target] = .onTheWay
                    way.append((target, 0))
                case .onTheWay:
                    let start = way.lastIndex { $0.node == target } ?? 0
                    noteCircle(way[start...].map { ($0.node, $0.next - 1) }, &noted)
                case .done: break
                }
            }
        }
    }

    /// - Parameter circle: each job of it and which of its needs leads on.
    private mutating func noteCircle(_ circle: [(node: Int, need: Int)], _ noted: inout Set<Int>) {
        for (offset, (node, need)) in circle.enumerated() where noted.insert(node).inserted {
            let rest = circle[offset...] + circle[..<offset]
            let names = rest.prefix(8).map { nodes[$0.node].name } + (rest.count > 8 ? ["..."] : [])
            let way = (names + [nodes[node].name]).joined(separator: " needs ")
            let message =
                circle.count == 1
                ? "needs: a job cannot need itself" : "needs: \(way), so that none of them could ever run"
            problems.append(Problem(node: node, position: nodes[node].needs[need].position, message: message))
        }
    }
}
