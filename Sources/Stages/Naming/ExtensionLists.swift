/// What is known of extensions beside the types that they go with.
enum ExtensionLists {
    /// Of programs that run on the server: they say nothing about what the server sent, and never survive.
    static let scripts: Set<String> = [
        "a4d", "action", "ashx", "asmx", "asp", "aspx", "axd", "cfc", "cfm", "cfml", "cgi", "cshtml", "do", "dll",
        "faces", "fcgi", "jhtml", "jsf", "jsp", "jspa", "jspx", "lasso", "mvc", "nhn", "nsf", "php", "php3", "php4",
        "php5", "php7", "phtml", "rails", "seam", "shtm", "shtml", "svc", "vbhtml", "wbx", "xsp",
    ]

    /// Kinds that a click or a shell runs. One that a header or URL says stays; none is ever inferred.
    static let executables: Set<String> = [
        "app", "appimage", "application", "bash", "bat", "chm", "cmd", "com", "command", "cpl", "csh", "desktop", "dll",
        "exe", "fish", "flatpakref", "gadget", "hta", "inf", "ins", "isp", "jnlp", "job", "jse", "kdelnk", "ko", "ksh",
        "lnk", "msc", "msi", "msix", "msp", "mst", "o", "ocx", "pif", "pl", "ps1", "psm1", "py", "rb", "reg", "run",
        "scf", "scr", "sct", "service", "sh", "so", "socket", "sys", "tcl", "timer", "tcsh", "url", "vb", "vbe", "vbs",
        "webloc", "workflow", "ws", "wsc", "wsf", "wsh", "zsh",
    ]

    /// Compressions that stand behind the extension of what they hold.
    static let compressions: Set<String> = [
        "gz", "bz2", "xz", "zst", "lz", "lzma", "lz4", "lzo", "br", "z", "lrz", "7z", "bz", "zstd",
    ]

    /// What is often compressed though the types' database has no word of it.
    static let compressed: Set<String> = [
        "warc", "arc", "wat", "wet", "nii", "fastq", "fq", "fasta", "fa", "vcf", "bed", "gff", "gtf", "dump", "cdx",
        "nt", "nq", "ttl", "jsonl", "ndjson", "tsv", "osm", "cpio", "img", "raw", "dat", "parquet", "mmap", "log",
    ]

    /// Pairs of one after the other that stay together though none is a compression.
    static let doubles: Set<String> = ["geo.json", "7z.001", "zip.001", "src.rpm", "user.js"]

    /// They say no more than that there are bytes.
    static let vague: Set<String> = [
        "bin", "dat", "data", "file", "download", "tmp", "temp", "octet-stream", "unknown",
    ]

    /// Last segments that name a service, not a file.
    static let serviceStems: Set<String> = [
        "index", "default", "download", "downloads", "down", "dl", "get", "getfile", "get_file", "file", "files",
        "filedown", "file_down", "filedownload", "file_download", "downloadfile", "download_file", "fetch", "view",
        "viewer", "show", "open", "attachment", "attach", "export", "serve", "proxy", "redirect", "redir", "go", "out",
        "content", "raw", "blob", "bitstream", "stream", "document", "doc", "main", "home", "api", "read",
    ]
}
