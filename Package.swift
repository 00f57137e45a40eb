// swift-tools-version: 6.2
import PackageDescription

// One array of settings serves every target. Imports go strictly downward; the table in docs/architecture.md
// says which module may import which, and Tests/HouseTests holds this manifest and the sources against it.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableExperimentalFeature("Lifetimes"),
    .treatAllWarnings(as: .error),
]

/// Rooms off the data path and off the judge's. script/build makes them small, without a copy of generic code for each type, which
/// halves the time that they take; all others are inlined into each other.
let cold: Set = [
    "Capacity", "Cases", "Command", "Comparison", "Harness", "PostgreSQL", "Reports", "SQLite", "Sessions", "YAML",
]

/// What script/build asks for beyond `swift build -c release`. SwiftPM takes such flags of a root package alone, so whoever
/// embeds the library builds without them.
func settings(_ name: String) -> [SwiftSetting] {
    guard Context.environment["PUSHRIG_BUILD"] == "release" else { return strict }
    let size = ["-Osize", "-Xllvm", "-sil-disable-pass=generic-specializer"]
    // Without the library of regular expressions: what would use it does not build.
    let all = ["-enforce-exclusivity=unchecked", "-Xfrontend", "-disable-implicit-string-processing-module-import"]
    return strict + [.unsafeFlags((cold.contains(name) ? size : ["-cross-module-optimization"]) + all)]
}

func room(_ name: String, _ dependencies: [String]) -> Target {
    .target(name: name, dependencies: dependencies.map { .byName(name: $0) }, swiftSettings: settings(name))
}

func library(_ name: String, package: String, pkgConfig: String? = nil) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

func tests(_ name: String, _ dependencies: [String], exclude: [String] = []) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: dependencies.map { .byName(name: $0) }, exclude: exclude,
        swiftSettings: strict)
}

/// What the fuzz targets feed.
let fuzzed = [
    "APNs", "Basics", "Deflate", "EventLoop", "FCM", "Faults", "HTTP", "Journal", "MockServer", "Net", "OperatingSystem", "Pushes",
    "Scenarios", "Schemas", "TLS", "YAML",
]

let package = Package(
    name: "PushRig",
    products: [
        .library(name: "PushRig", targets: ["PushRig"]),
        .executable(name: "pushrig", targets: ["Command"]),
    ],
    targets: [
        // Floor 0
        .systemLibrary(name: "CLinux"),
        library("COpenSSL", package: "libssl-dev", pkgConfig: "openssl"),
        library("CNghttp2", package: "libnghttp2-dev", pkgConfig: "libnghttp2"),
        library("CYAML", package: "libyaml-dev", pkgConfig: "yaml-0.1"),
        library("CSQLite", package: "libsqlite3-dev", pkgConfig: "sqlite3"),
        library("CXXHash", package: "libxxhash-dev", pkgConfig: "libxxhash"),
        library("CWslay", package: "libwslay-dev"),
        library("CZlib", package: "zlib1g-dev", pkgConfig: "zlib"),
        .target(name: "CFiles", exclude: ["mock", "report", "run"]),
        room("Basics", ["CFiles"]),
        // Floor 1
        room("OperatingSystem", ["Basics", "CLinux"]),
        room("TLS", ["Basics", "COpenSSL"]),
        room("HTTP", ["Basics"]),
        room("YAML", ["Basics", "CYAML"]),
        room("Pushes", ["Basics"]),
        room("Deflate", ["CZlib"]),
        room("Schemas", ["Basics"]),
        room("Capacity", []),
        // Floor 2
        room("EventLoop", ["Basics", "OperatingSystem", "CLinux"]),
        room("HTTP2", ["Basics", "HTTP", "CNghttp2"]),
        room("SQLite", ["Basics", "OperatingSystem", "CSQLite"]),
        room("PostgreSQL", ["Basics"]),
        room("WebSocket", ["Basics", "HTTP", "TLS", "CWslay"]),
        // Floor 3
        room("Net", ["Basics", "OperatingSystem", "EventLoop", "TLS", "HTTP", "HTTP2", "CLinux"]),
        // Floor 4
        room("APNs", ["Basics", "HTTP", "Pushes"]),
        room("FCM", ["Basics", "HTTP", "Pushes"]),
        // Floor 5
        room("Devices", ["Basics", "Pushes", "APNs", "FCM"]),
        room("Faults", ["Basics", "Pushes"]),
        // Floor 6
        room("Journal", ["Basics", "OperatingSystem", "HTTP", "Pushes", "CXXHash"]),
        // Floor 7
        room("Metrics", ["Basics", "Pushes", "Deflate"]),
        room("Scenarios", ["Basics", "OperatingSystem", "TLS", "Pushes", "Schemas", "YAML", "Faults", "Devices"]),
        // Floor 8
        room("Planning", ["Basics", "Pushes", "Journal", "Metrics", "Scenarios"]),
        room(
            "MockServer",
            [
                "Basics", "OperatingSystem", "Pushes", "EventLoop", "TLS", "HTTP", "HTTP2", "Net", "APNs", "FCM", "Devices",
                "Faults", "Journal", "Schemas", "Deflate",
            ]),
        room("Cases", ["Basics", "Pushes", "Scenarios"]),
        room(
            "ReferenceRelay",
            ["Basics", "OperatingSystem", "Pushes", "EventLoop", "TLS", "HTTP", "WebSocket", "Net", "SQLite"]),
        room("Conformance", ["Basics", "Pushes", "Journal", "Metrics"]),
        // Floor 9
        room(
            "LoadGenerator",
            ["Basics", "Pushes", "EventLoop", "TLS", "HTTP", "WebSocket", "Net", "Journal", "Metrics", "Scenarios", "Planning"]),
        room(
            "Verdicts",
            [
                "Basics", "Pushes", "Schemas", "Capacity", "FCM", "Journal", "Metrics", "Faults", "Scenarios", "Planning",
                "Conformance",
            ]),
        // Floor 10
        room(
            "Sessions",
            [
                "Basics", "Pushes", "Schemas", "Devices", "Journal", "Metrics", "Scenarios", "Planning", "Verdicts",
            ]),
        room("Comparison", ["Basics", "Metrics", "Scenarios", "Conformance", "Verdicts"]),
        room(
            "PushRig",
            ["Basics", "OperatingSystem", "Pushes", "Journal", "Faults", "APNs", "Devices", "MockServer", "Net"]),
        // Floor 11
        room(
            "Reports",
            [
                "Basics", "OperatingSystem", "Schemas", "Capacity", "Metrics", "Conformance", "Verdicts", "Sessions", "Comparison",
            ]),
        // Floor 12
        room(
            "Harness",
            [
                "Basics", "OperatingSystem", "Pushes", "Capacity", "EventLoop", "Net", "Journal", "Metrics", "Scenarios", "Faults",
                "Planning", "LoadGenerator", "MockServer", "ReferenceRelay", "Conformance", "Verdicts", "Sessions", "Comparison",
                "Reports",
                "APNs", "HTTP",
                "Devices", "FCM", "Schemas", "Cases", "SQLite", "PostgreSQL", "TLS", "CLinux",
            ]),
        // Floor 13
        .executableTarget(name: "Command", dependencies: ["Basics", "Harness"], swiftSettings: settings("Command")),
        // Tests, one target for each module, and the real program from outside
        .target(
            name: "WireClient", dependencies: ["Basics", "TLS"], path: "Tests/WireClient", swiftSettings: strict),
        .target(
            name: "PlanKnobs", dependencies: ["Basics", "Planning", "Pushes", "Scenarios"], path: "Tests/PlanKnobs",
            swiftSettings: strict),
        tests("APNs", ["Pushes", "APNs", "Basics", "HTTP"]),
        tests("Basics", ["Basics"]),
        tests("Capacity", ["Basics", "Capacity"]),
        tests("Cases", ["Basics", "Cases", "Pushes", "Scenarios"]),
        tests("Comparison", ["Basics", "Comparison", "Conformance", "Metrics", "Scenarios", "Verdicts"]),
        tests("Conformance", ["Pushes", "Basics", "Conformance", "Journal", "Metrics"]),
        tests("Deflate", ["Deflate"]),
        tests("Devices", ["Pushes", "APNs", "Basics", "Devices", "FCM"]),
        tests("EndToEnd", ["APNs", "Basics", "EventLoop", "Journal", "Net", "Pushes", "TLS", "YAML"]),
        tests("EventLoop", ["Basics", "EventLoop"]),
        tests("FCM", ["Basics", "FCM", "HTTP", "Pushes"]),
        tests("Faults", ["Pushes", "APNs", "Basics", "Faults"]),
        .testTarget(
            name: "FuzzTests", dependencies: fuzzed.map { .byName(name: $0) }, exclude: ["Driver"], swiftSettings: strict),
        tests("HTTP", ["Basics", "HTTP"]),
        tests(
            "HTTP2",
            [
                "APNs", "Basics", "EventLoop", "Faults", "HTTP", "HTTP2", "MockServer", "Net", "OperatingSystem", "TLS", "WireClient",
            ]),
        tests(
            "Harness",
            [
                "APNs", "Basics", "Capacity", "Conformance", "Devices", "EventLoop", "Faults", "HTTP", "Harness", "Journal",
                "LoadGenerator", "Metrics", "MockServer", "Net", "OperatingSystem", "Planning", "Pushes", "ReferenceRelay",
                "Reports", "SQLite", "Scenarios", "Verdicts",
            ]),
        tests("House", []),
        tests("Oracle", ["Basics", "Conformance", "Metrics", "Pushes"]),
        tests("OperatingSystem", ["Basics", "OperatingSystem"]),
        tests("Journal", ["Basics", "HTTP", "Journal", "OperatingSystem", "Pushes"]),
        tests(
            "LoadGenerator",
            [
                "Basics", "EventLoop", "Faults", "HTTP", "Journal", "LoadGenerator", "Metrics", "Net", "OperatingSystem",
                "PlanKnobs", "Planning", "Pushes", "Scenarios", "TLS", "WebSocket",
            ]),
        tests("Metrics", ["Pushes", "Basics", "Journal", "Metrics"]),
        tests(
            "MockServer",
            [
                "APNs", "Basics", "Deflate", "Devices", "EventLoop", "HTTP", "Journal", "MockServer", "Net", "OperatingSystem", "Pushes", "TLS", "WireClient",
                "YAML",
            ],
            exclude: ["Bench"]),
        tests("Net", ["Basics", "EventLoop", "HTTP", "HTTP2", "Net", "OperatingSystem", "TLS"]),
        tests("Planning", ["Basics", "Metrics", "PlanKnobs", "Planning", "Pushes", "Scenarios"]),
        tests("Pushes", ["Basics", "Pushes"]),
        tests("PostgreSQL", ["Basics", "OperatingSystem", "PostgreSQL"]),
        tests("PushRig", ["Pushes", "APNs", "Basics", "PushRig", "TLS"]),
        tests(
            "ReferenceRelay",
            ["Basics", "EventLoop", "HTTP", "Net", "OperatingSystem", "Pushes", "ReferenceRelay", "SQLite", "TLS", "WebSocket"]),
        tests(
            "Reports",
            ["Basics", "Capacity", "Comparison", "Conformance", "Metrics", "Reports", "Schemas", "Sessions", "Verdicts"]),
        tests(
            "Sessions",
            [
                "Basics", "HTTP", "Journal", "Metrics", "Planning", "Pushes", "Scenarios", "Schemas", "Sessions", "Verdicts",
            ]),
        tests("SQLite", ["Basics", "SQLite"]),
        tests("Scenarios", ["Pushes", "APNs", "Basics", "Faults", "Scenarios", "Schemas"]),
        tests("Schemas", ["Basics", "Schemas"], exclude: ["Overlays"]),
        tests("TLS", ["Basics", "TLS"]),
        tests(
            "Verdicts",
            [
                "Basics", "Capacity", "Conformance", "Faults", "HTTP", "Journal", "Metrics", "Planning", "Pushes", "Scenarios",
                "Verdicts",
            ],
            exclude: ["Bench"]),
        tests("WebSocket", ["Basics", "HTTP", "WebSocket"]),
        tests("YAML", ["Basics", "YAML"]),
    ],
    swiftLanguageModes: [.v6]
)

// script/fuzz asks for the fuzz targets as a program; nobody else pays for it.
if Context.environment["PUSHRIG_FUZZ"] != nil {
    package.targets.removeAll { $0.type == .test }
    package.targets.append(
        .executableTarget(
            name: "fuzz", dependencies: fuzzed.map { .byName(name: $0) }, path: "Tests/FuzzTests",
            exclude: ["ReplayTests.swift"], swiftSettings: strict + [.enableExperimentalFeature("Extern")]))
}

// script/bench asks for what its benchmarks need as programs.
if Context.environment["PUSHRIG_BENCH"] != nil {
    package.targets.removeAll { $0.type == .test }
    package.targets.append(
        .executableTarget(
            name: "judgebench",
            dependencies: ["Basics", "HTTP", "Journal", "Metrics", "Planning", "Pushes", "Scenarios", "Verdicts"],
            path: "Tests/VerdictsTests", sources: ["SyntheticRun.swift", "Bench/main.swift"], swiftSettings: strict))
    package.targets.append(
        .executableTarget(
            name: "crowdbench",
            dependencies: ["APNs", "Basics", "Devices", "MockServer", "Net", "OperatingSystem", "Pushes"],
            path: "Tests/MockServerTests/Bench", swiftSettings: strict))
}
