import Glibc
import Model
import Scheduling
import Times

/// A service of which each job is an instance, and a timer for each job. A job's runs never overlap, since a timer
/// starts no service that is running; and no job waits for another's end.
struct SystemdUnits {
    let place: InstallPlace
    let jobs: [Job]
    let zone: Zone

    struct Unit {
        let name: String
        let text: String
    }

    func all() throws -> [Unit] { [service] + (try jobs.map(timer)) }

    private var service: Unit {
        let command = place.words(["%i"]).map(quoted).joined(separator: " ")
            .replacing("\"%%i\"", with: "%i")
        let writable = ([place.root] + jobs.compactMap(\.metrics).map(folder)).reduce(into: [String]()) { list, path in
            if !list.contains(path) { list.append(path) }
        }
        return Unit(
            name: "nightjar@.service",
            text: """
                [Unit]
                Description=Nightjar job %i
                Wants=network-online.target
                After=network-online.target

                [Service]
                Type=oneshot
                ExecStart=\(command)
                # 4: its last run still goes on, started by somebody else.
                SuccessExitStatus=4
                User=\(user)
                # These folders must be there before the first start, and belong to that user.
                \(writable.map { "ReadWritePaths=\(quoted("-" + $0))" }.joined(separator: "\n"))
                # Runs end in order at SIGTERM; what is cut is resumed by the next.
                TimeoutStopSec=60
                Nice=10
                IOSchedulingClass=idle
                UMask=0022
                NoNewPrivileges=yes
                ProtectSystem=strict
                ProtectHome=read-only
                PrivateTmp=\(isBelowTmp ? "no" : "yes")
                PrivateDevices=yes
                ProtectHostname=yes
                ProtectClock=yes
                ProtectKernelTunables=yes
                ProtectKernelModules=yes
                ProtectKernelLogs=yes
                ProtectControlGroups=yes
                ProtectProc=invisible
                RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
                RestrictNamespaces=yes
                RestrictRealtime=yes
                RestrictSUIDSGID=yes
                LockPersonality=yes
                MemoryDenyWriteExecute=yes
                SystemCallArchitectures=native
                SystemCallFilter=@system-service
                SystemCallErrorNumber=EPERM
                CapabilityBoundingSet=
                AmbientCapabilities=

                """)
    }

    /// A hidden /tmp would hide what lies there.
    private var isBelowTmp: Bool {
        ([place.root, place.jobs, place.program] + jobs.compactMap(\.metrics)).contains {
            $0.hasPrefix("/tmp/") || $0.hasPrefix("/var/tmp/")
        }
    }

    private func timer(_ job: Job) throws -> Unit {
        let minutes = try MinutesOfHour(of: [job], in: zone, from: currentTime())
        return Unit(
            name: "nightjar@\(job.name).timer",
            text: """
                [Unit]
                Description=Times of the Nightjar job \(job.name)

                [Timer]
                # schedule: \(job.schedule ?? "") in \(job.timezone); at these minutes the job is looked after.
                OnCalendar=*-*-* *:\(minutes.systemd):00
                AccuracySec=1s
                Persistent=yes

                [Install]
                WantedBy=timers.target

                """)
    }

    private func folder(_ path: String) -> String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "/" }

    /// Whoever installs it; root is for somebody to change.
    private var user: String { getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(geteuid())" }
}

/// A word as systemd takes it: `%` begins a specifier, `$` a variable.
private func quoted(_ word: String) -> String {
    let escaped = word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("%", with: "%%")
        .replacing("$", with: "$$")
    return "\"\(escaped)\""
}
