// What a figure is worth depends on where it was measured.

/// Where a run took place; empty and 0 when unknown.
package struct Machine: Hashable, Sendable {
    package var host = ""
    package var system = ""
    package var processor = ""
    package var cores = 0
    package var memoryBytes: Int64 = 0

    package init() {}

    package init(host: String, system: String, processor: String, cores: Int, memoryBytes: Int64) {
        self.host = host
        self.system = system
        self.processor = processor
        self.cores = cores
        self.memoryBytes = memoryBytes
    }
}

extension Machine {
    package var json: JSONValue {
        [
            "host": .string(host), "system": .string(system), "processor": .string(processor),
            "cores": .integer(Int64(cores)), "memoryBytes": .integer(memoryBytes),
        ]
    }

    package init(_ reading: JSONReading) throws(Failure) {
        self.init(
            host: try reading["host"].text(), system: try reading["system"].text(),
            processor: try reading["processor"].text(), cores: try reading["cores"].integer(),
            memoryBytes: try reading["memoryBytes"].integer())
    }
}
