import Cron
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
