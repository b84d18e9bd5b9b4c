/// The version, as `--version` prints it.
let version = "0.1.0"

/// Help for one command, or for the program.
func help(_ command: Command?) -> String {
    guard let command else { return programHelp }
    let width = command.flags.map { spelling($0).count }.max() ?? 0
    let flags = command.flags.map { flag in
        "  " + spelling(flag).padded(to: width) + "  " + flag.meaning
    }
    return
        (["usage: nightjar \(command.name) [flags] \(command.arguments)", "", command.meaning, "", "flags:"] + flags)
        .joined(separator: "\n") + "\n"
}

private var programHelp: String {
    let width = Command.all.map(\.name.count).max() ?? 0
    let commands = Command.all.map { command in
        "  " + command.name.padded(to: width) + "  " + command.meaning
    }
    return """
        usage: nightjar COMMAND [flags] [arguments]

        Mirrors and archives what job manifests describe: crawls, downloads, names, dedupes, packs, reports.

        commands:
        \(commands.joined(separator: "\n"))

        nightjar COMMAND --help tells the flags of a command.
        exit status: 0 all well; 1 some item, pack or hand-off failed; 2 wrong usage or manifest, nothing was started; 3 a job
        could not do its work at all; 4 a job was skipped, its last run still goes on; 5 the disk ran short;
        129, 130, 143 stopped by SIGHUP, SIGINT, SIGTERM after an orderly end.

        """
}

private func spelling(_ flag: Flag) -> String {
    let short = flag.short.map { "-\($0), " } ?? "    "
    return "\(short)--\(flag.name.rawValue)\(flag.value.map { " \($0)" } ?? "")"
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
