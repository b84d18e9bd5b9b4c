/// What shared-mime-info does not say: which of several extensions is the usual one, and types that servers send
/// but its table lacks.
enum TypeAdditions {
    /// The usual one of a type's extensions; the database lists them in no order.
    static let preferred: [String: String] = [
        "application/dicom": "dcm", "application/fits": "fits", "application/geo+json": "geojson",
        "application/javascript": "js", "application/pgp-encrypted": "pgp", "application/pgp-keys": "asc",
        "application/pgp-signature": "sig", "application/pkcs12": "p12", "application/pkcs7-mime": "p7m",
        "application/rdf+xml": "rdf", "application/smil+xml": "smil", "application/vnd.adobe.flash.movie": "swf",
        "application/vnd.amazon.mobi8-ebook": "azw3", "application/vnd.apple.mpegurl": "m3u8",
        "application/vnd.debian.binary-package": "deb", "application/vnd.flatpak": "flatpak",
        "application/vnd.iccprofile": "icc", "application/vnd.ms-excel": "xls",
        "application/vnd.ms-powerpoint": "ppt", "application/vnd.ms-works": "wps", "application/vnd.palm": "pdb",
        "application/vnd.rn-realmedia": "rm", "application/vnd.tcpdump.pcap": "pcap", "application/vnd.visio": "vsd",
        "application/vnd.wordperfect": "wpd", "application/x-7z-compressed": "7z", "application/x-abiword": "abw",
        "application/x-archive": "a", "application/x-blender": "blend", "application/x-bzip": "bz2",
        "application/x-bzip-compressed-tar": "tar.bz2", "application/x-cd-image": "iso",
        "application/x-compressed-tar": "tar.gz", "application/x-docbook+xml": "docbook",
        "application/x-font-type1": "pfb", "application/x-gedcom": "ged", "application/x-gettext-translation": "mo",
        "application/x-hdf": "h5", "application/x-java-keystore": "jks", "application/x-lha": "lzh",
        "application/x-lrzip-compressed-tar": "tar.lrz", "application/x-lzma-compressed-tar": "tar.lzma",
        "application/x-mimearchive": "mhtml", "application/x-mobipocket-ebook": "mobi",
        "application/x-ms-wim": "wim", "application/x-netcdf": "nc", "application/x-perl": "pl",
        "application/x-php": "php", "application/x-pkcs7-certificates": "p7b", "application/x-qemu-disk": "qcow2",
        "application/x-raw-disk-image": "img", "application/x-spss-sav": "sav", "application/x-tar": "tar",
        "application/x-tarz": "tar.z", "application/x-tzo": "tar.lzo", "application/x-x509-ca-cert": "crt",
        "application/x-xz-compressed-tar": "tar.xz", "application/x-yaml": "yaml",
        "application/x-zstd-compressed-tar": "tar.zst", "application/xhtml+xml": "xhtml", "application/xml": "xml",
        "application/xslt+xml": "xsl", "application/zip": "zip", "audio/aac": "aac", "audio/basic": "au",
        "audio/midi": "mid", "audio/mp4": "m4a", "audio/mpeg": "mp3", "audio/ogg": "oga", "audio/x-aiff": "aiff",
        "audio/x-flac+ogg": "oga", "audio/x-m4b": "m4b", "audio/x-mpegurl": "m3u", "audio/x-speex+ogg": "spx",
        "audio/x-vorbis+ogg": "ogg", "image/avif": "avif", "image/bmp": "bmp", "image/heif": "heic",
        "image/jp2": "jp2", "image/jpeg": "jpg", "image/jpx": "jpx", "image/svg+xml-compressed": "svgz",
        "image/tiff": "tif", "image/vnd.djvu": "djvu", "image/x-eps": "eps", "image/x-gzeps": "eps.gz",
        "image/x-pict": "pict", "image/x-tga": "tga", "model/vrml": "wrl", "text/calendar": "ics",
        "text/html": "html", "text/markdown": "md", "text/plain": "txt", "text/sgml": "sgml", "text/tcl": "tcl",
        "text/vcard": "vcf", "text/vnd.graphviz": "gv", "text/x-c++src": "cpp", "text/x-c++hdr": "hpp",
        "text/x-csrc": "c", "text/x-patch": "patch", "text/x-python": "py", "text/x-python3": "py",
        "text/x-tex": "tex", "video/3gpp": "3gp", "video/3gpp2": "3g2", "video/mp2t": "ts", "video/mp4": "mp4",
        "video/mpeg": "mpg", "video/ogg": "ogv", "video/quicktime": "mov", "video/x-msvideo": "avi",
    ]

    /// Other names of known types, as servers write them; the database's own aliases win.
    static let aliases: [String: String] = [
        "application/acrobat": "application/pdf", "application/csv": "text/csv", "application/x-csv": "text/csv",
        "application/excel": "application/vnd.ms-excel", "application/x-excel": "application/vnd.ms-excel",
        "application/haansofthwp": "application/x-hwp", "application/vnd.hancom.hwp": "application/x-hwp",
        "application/hwp": "application/x-hwp", "application/haansofthwpx": "application/hwp+zip",
        "application/vnd.hancom.hwpx": "application/hwp+zip", "application/x-hwpx": "application/hwp+zip",
        "application/jsonl": "application/x-ndjson", "application/jsonlines": "application/x-ndjson",
        "application/mspowerpnt": "application/vnd.ms-powerpoint", "application/word": "application/msword",
        "application/tar": "application/x-tar", "application/tar+gzip": "application/x-compressed-tar",
        "application/tgz": "application/x-compressed-tar", "application/x-tgz": "application/x-compressed-tar",
        "application/x-gtar-compressed": "application/x-compressed-tar",
        "application/x-gzip-compressed": "application/gzip", "application/x-zip": "application/zip",
        "application/x-zstd": "application/zstd", "application/x-tif": "image/tiff",
        "application/x-parquet": "application/vnd.apache.parquet", "application/yaml": "application/x-yaml",
        "audio/mp3": "audio/mpeg", "audio/m4a": "audio/mp4", "audio/wave": "audio/x-wav", "image/jpg": "image/jpeg",
        "image/pjpeg": "image/jpeg", "image/x-png": "image/png", "image/x-jpeg": "image/jpeg",
        "image/tif": "image/tiff",
        "text/comma-separated-values": "text/csv", "text/json": "application/json", "text/pdf": "application/pdf",
        "text/x-json": "application/json", "text/x-pdf": "application/pdf", "text/xls": "application/vnd.ms-excel",
        "text/yaml": "application/x-yaml", "video/x-mp4": "video/mp4", "video/avi": "video/x-msvideo",
    ]

    /// Types that the database lacks.
    static let extensions: [String: [String]] = [
        "application/geopackage+sqlite3": ["gpkg"], "application/hwp+zip": ["hwpx"], "application/warc": ["warc"],
        "application/x-hwp": ["hwp"], "application/x-chrome-extension": ["crx"],
        "application/x-ndjson": ["ndjson", "jsonl"],
        "application/vnd.apache.arrow.file": ["arrow"], "application/vnd.apache.parquet": ["parquet"],
        "application/vnd.google-earth.kmz": ["kmz"], "application/x-xz": ["xz"], "application/zstd": ["zst"],
        "application/x-lzip": ["lz"], "application/x-brotli": ["br"], "application/wasm": ["wasm"],
        "application/x-hdf": ["h5"], "image/jxl": ["jxl"], "audio/x-wav": ["wav"], "font/woff2": ["woff2"],
        "application/vnd.geogebra.file": ["ggb"], "application/x-spss-por": ["por"], "application/x-stata-dta": ["dta"],
    ]
}
