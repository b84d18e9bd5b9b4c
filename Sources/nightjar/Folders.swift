/// Where things lie when no flag says so.
extension Invocation {
    /// - Throws: ``UsageError`` when neither flag nor environment tells.
    func rootFolder() throws -> String {
        try folder(.root, "NIGHTJAR_ROOT", base: "XDG_DATA_HOME", home: ".local/share", "nightjar")
    }

    /// - Throws: ``UsageError`` when neither flag nor environment tells.
    func jobsFolder() throws -> String {
        try folder(.jobs, "NIGHTJAR_JOBS", base: "XDG_CONFIG_HOME", home: ".config", "nightjar/jobs")
    }

    private func folder(
        _ flag: Flag, _ variable: String, base: String, home: String, _ name: String
    ) throws -> String {
        if let folder = self[flag] {
            if folder.isEmpty { throw UsageError("--\(flag.name.rawValue) needs a folder") }
            return folder
        }
        if let folder = environment[variable], !folder.isEmpty { return folder }
        // The XDG specification has relative paths ignored.
        if let folder = environment[base], folder.hasPrefix("/") { return "\(folder)/\(name)" }
        if let folder = environment["HOME"], folder.hasPrefix("/") { return "\(folder)/\(home)/\(name)" }
        throw UsageError("no folder: set --\(flag.name.rawValue) or \(variable) (HOME is not set either)")
    }
}
