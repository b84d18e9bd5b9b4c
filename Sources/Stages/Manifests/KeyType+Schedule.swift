import Cron
import Model
import Times
import YAML

extension KeyType where Value == String {
    /// A cron expression that some day comes.
    static var schedule: KeyType {
        KeyType(name: "a cron expression", schema: ["type": "string"]) { node, reading in
            guard let scalar = reading.scalar(node, expected: "a cron expression such as \"15 2 * * *\"") else {
                return nil
            }
            do throws(CronError) {
                guard try CronExpression(scalar.text).next(after: 0, in: .utc) != nil else {
                    reading.error(node.position, "\(quoted(scalar.text)) never comes: no month has such a day")
                    return nil
                }
                return scalar.text
            } catch {
                reading.error(node.position(ofByte: error.offset), "\(quoted(scalar.text)): \(error.message)")
                return nil
            }
        }
    }
}

extension KeyType where Value == [Placed<String>] {
    /// Names of other jobs, with their places; whether there are such jobs is asked when all manifests are read.
    static var needs: KeyType {
        let name = KeyType<String>.jobName
        let schema: JSONText = ["type": "array", "items": name.schema, "minItems": 1]
        return KeyType(name: "a list of jobs", schema: schema) { node, reading in
            guard let items = reading.list(node, expected: "a list of jobs", mayBeEmpty: false) else { return nil }
            var needs: [Placed<String>] = []
            for item in items {
                guard let need = name.read(item, &reading) else { continue }
                if needs.contains(where: { $0.value == need }) {
                    reading.error(item.position, "'\(need)' stands here already")
                } else {
                    needs.append(Placed(value: need, position: item.position))
                }
            }
            return needs
        }
    }
}

extension KeyType where Value == Overlap {
    /// `skip`, `wait`, or `wait` with the longest time.
    static var overlap: KeyType {
        let word = KeyType<String>.word(["skip", "wait"])
        let time = KeyType<Duration>.duration(.seconds(1) ... .seconds(86400), "1s to 1d")
        let schema: JSONText = [
            "anyOf": [
                word.schema,
                [
                    "type": "object", "additionalProperties": false, "required": ["wait"],
                    "properties": ["wait": time.schema],
                ],
            ]
        ]
        let name = "skip, wait or { wait: 20m }"
        return KeyType(name: name, schema: schema) { node, reading in
            guard case .mapping(let pairs) = node.content else {
                return word.read(node, &reading).map { $0 == "skip" ? .skip : .wait(atMost: .seconds(3600)) }
            }
            guard pairs.count == 1, let pair = pairs.first, pair.key == "wait" else {
                reading.mismatch(node, expected: name)
                return nil
            }
            return reading.within("wait") { time.read(pair.value, &$0) }.map { .wait(atMost: $0) }
        }
    }
}
