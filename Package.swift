// swift-tools-version: 6.2
import PackageDescription

/// The settings every Swift target shares: Swift 6 mode, explicit `any`, and no warning let through.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// A C library that Debian packages; `apt` names the package to install when pkg-config finds none.
func system(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, path: "Sources/C/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

func swift(_ name: String, in folder: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(folder)\(name)", swiftSettings: strict)
}

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    swift(name, in: "Libraries/", dependencies)
}

/// A stage sees the values that pass between stages and the libraries it needs, never another stage.
func stage(_ name: String, _ libraries: [Target.Dependency] = []) -> Target {
    swift(name, in: "Stages/", ["Model", "URLs"] + libraries)
}

func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.byName(name: name), "TestSupport"] + dependencies,
        path: "Tests/\(name)Tests", swiftSettings: strict)
}

let package = Package(
    name: "nightjar",
    products: [.executable(name: "nightjar", targets: ["nightjar"])],
    targets: [
        system("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
        system("CArchive", pkgConfig: "libarchive", apt: "libarchive-dev"),
        system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        system("CCrypto", pkgConfig: "libcrypto", apt: "libssl-dev"),
        system("CYAML", pkgConfig: "yaml-0.1", apt: "libyaml-dev"),
        system("CMagic", pkgConfig: "libmagic", apt: "libmagic-dev"),
        system("CICU", pkgConfig: "icu-i18n", apt: "libicu-dev"),
        system("CPSL", pkgConfig: "libpsl", apt: "libpsl-dev"),
        system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
        system("CBrotli", pkgConfig: "libbrotlidec", apt: "libbrotli-dev"),
        system("CZstd", pkgConfig: "libzstd", apt: "libzstd-dev"),
        .target(
            name: "CShims", dependencies: ["CCurl", "CArchive", "CSQLite", "CICU"], path: "Sources/C/CShims"),

        library("Lanes", ["CShims"]),
        library("Files", ["CShims"]),
        library("Digests", ["CCrypto"]),
        library("Database", ["CSQLite", "CShims"]),
        library("Unicode", ["CICU", "CShims"]),
        library("URLs", ["Unicode", "CPSL"]),
        library("Cookies", ["URLs", "Times", "Files", "Lanes"]),
        library("HTTP", ["CCurl", "CShims", "Lanes", "Times"]),
        library("HTML"),
        library("JSON"),
        library("Archives", ["CArchive", "CShims"]),
        library("Containers", ["CZlib", "Archives"]),
        library("Brotli", ["CBrotli"]),
        library("Zstandard", ["CZstd"]),
        library("Codings", ["Containers", "Brotli", "Zstandard"]),
        library("YAML", ["CYAML"]),
        library("Magic", ["CMagic"]),
        library("Processes", ["CShims"]),
        library("Times"),
        library("Templates", ["Times"]),
        library("Cron", ["Times"]),

        swift("Model", in: "", ["URLs", "Templates"]),

        stage("Manifests", ["YAML", "HTML", "JSON", "Files", "Templates", "Times", "Cron", "Digests"]),
        stage("Scheduling", ["Cron", "Times"]),
        stage("Crawling", ["HTML", "JSON", "Containers", "Unicode", "Templates", "Times"]),
        stage("Fetching", ["HTTP", "Cookies", "Files", "Digests", "Times", "Lanes", "Codings"]),
        stage("Naming", ["Magic", "Templates", "Times", "Unicode", "Digests"]),
        stage("Storing", ["Database", "Files", "Lanes", "Digests"]),
        stage("Packing", ["Archives", "Files", "JSON", "Lanes", "Digests", "Templates", "Times", "Processes"]),
        stage("HandingOff", ["HTTP", "Files", "Lanes", "Digests"]),
        stage("Reporting", ["Files", "JSON", "Lanes", "Times", "Unicode"]),

        swift(
            "Running", in: "",
            [
                "Model", "URLs", "Manifests", "Scheduling", "Crawling", "Fetching", "Naming", "Storing", "Packing",
                "HandingOff", "Reporting", "Lanes", "Files", "Times", "Cookies", "HTTP", "HTML", "JSON", "Digests",
                "Templates", "Magic", "Containers", "Processes",
            ]),
        .executableTarget(
            name: "nightjar",
            dependencies: [
                "Running", "Manifests", "Scheduling", "Crawling", "Fetching", "Naming", "Storing", "Reporting", "Model",
                "URLs",
                "JSON",
                "HTML",
                "Archives", "Cookies", "Digests", "Files", "Lanes", "Cron", "Magic", "Processes", "Templates", "Times",
                "CShims",
            ],
            path: "Sources/nightjar", swiftSettings: strict),
        .executableTarget(
            name: "nightjar-bench",
            dependencies: [
                "Crawling", "Naming", "Storing", "Packing", "Model", "URLs", "Cron", "Digests", "Files", "Magic",
                "Templates", "Times",
            ],
            path: "Sources/bench", swiftSettings: strict),

        swift("TestSupport", in: "", ["Files", "Lanes"]),
        tests("Files"), tests("Lanes"), tests("Digests"), tests("Database"), tests("Unicode"), tests("URLs"),
        tests("Cookies", ["URLs", "Files"]),
        tests("HTTP"), tests("HTML"), tests("JSON"), tests("Archives"), tests("Containers"), tests("Codings"),
        tests("YAML"),
        tests("Magic"), tests("Times"), tests("Processes"),
        tests("Templates", ["Times"]), tests("Cron", ["Times"]),
        tests("Manifests", ["Model", "URLs", "Templates"]),
        tests("Scheduling", ["Model", "URLs", "Times"]),
        tests("Crawling", ["Model", "URLs", "Unicode", "HTML", "Templates", "Times"]),
        tests("Fetching", ["Model", "URLs", "HTTP", "Files", "Digests", "Cookies"]),
        tests("Naming", ["Model", "URLs"]),
        tests("Storing", ["Model", "URLs", "Database", "Files"]),
        tests("Packing", ["Model", "URLs", "Files", "Lanes", "Digests", "Archives"]),
        tests("HandingOff", ["Model", "URLs", "Files", "Digests"]),
        tests("Reporting", ["Model", "URLs", "Files", "Digests", "JSON"]),
        .testTarget(
            name: "EndToEndTests", dependencies: ["nightjar", "TestSupport", "Digests", "JSON"],
            path: "Tests/EndToEndTests",
            swiftSettings: strict),
        .testTarget(
            name: "TestSupportTests", dependencies: ["TestSupport"], path: "Tests/TestSupportTests",
            swiftSettings: strict),
        .testTarget(
            name: "LayoutTests", dependencies: ["TestSupport"], path: "Tests/LayoutTests", swiftSettings: strict),
    ]
)
