/// Name, ICU's name where a converter of ICU does it, and the labels (WHATWG Encoding Standard, section 4.2).
///
/// ICU's `euc-kr`, `gb2312` and `shift_jis` are the narrow encodings of the registers; browsers take the names for the
/// wider ones that came with Windows, and so do we.
private let charsets: [(name: String, method: Charset.Method, labels: String)] = [
    ("UTF-8", .utf8, "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8"),
    ("IBM866", .icu("ibm-866"), "866 cp866 csibm866 ibm866"),
    (
        "ISO-8859-2", .icu("iso-8859-2"),
        "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2"
    ),
    (
        "ISO-8859-3", .icu("iso-8859-3"),
        "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3"
    ),
    (
        "ISO-8859-4", .icu("iso-8859-4"),
        "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4"
    ),
    (
        "ISO-8859-5", .icu("iso-8859-5"),
        "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988"
    ),
    (
        "ISO-8859-6", .icu("iso-8859-6"),
        """
        arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i \
        iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987
        """
    ),
    (
        "ISO-8859-7", .icu("iso-8859-7"),
        """
        csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 \
        iso_8859-7:1987 sun_eu_greek
        """
    ),
    (
        "ISO-8859-8", .icu("iso-8859-8"),
        """
        csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 \
        iso_8859-8:1988 visual
        """
    ),
    ("ISO-8859-8-I", .icu("iso-8859-8"), "csiso88598i iso-8859-8-i logical"),
    (
        "ISO-8859-10", .icu("iso-8859-10"),
        "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6"
    ),
    ("ISO-8859-13", .icu("iso-8859-13"), "iso-8859-13 iso8859-13 iso885913"),
    ("ISO-8859-14", .icu("iso-8859-14"), "iso-8859-14 iso8859-14 iso885914"),
    ("ISO-8859-15", .icu("iso-8859-15"), "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9"),
    ("ISO-8859-16", .table(iso885916Table), "iso-8859-16"),
    ("KOI8-R", .icu("KOI8-R"), "cskoi8r koi koi8 koi8-r koi8_r"),
    ("KOI8-U", .icu("KOI8-U"), "koi8-ru koi8-u"),
    ("macintosh", .icu("macintosh"), "csmacintosh mac macintosh x-mac-roman"),
    ("windows-874", .icu("windows-874"), "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874"),
    ("windows-1250", .icu("windows-1250"), "cp1250 windows-1250 x-cp1250"),
    ("windows-1251", .icu("windows-1251"), "cp1251 windows-1251 x-cp1251"),
    (
        "windows-1252", .table(windows1252Table),
        """
        ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 \
        iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252
        """
    ),
    ("windows-1253", .icu("windows-1253"), "cp1253 windows-1253 x-cp1253"),
    (
        "windows-1254", .icu("windows-1254"),
        """
        cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 \
        windows-1254 x-cp1254
        """
    ),
    ("windows-1255", .icu("windows-1255"), "cp1255 windows-1255 x-cp1255"),
    ("windows-1256", .icu("windows-1256"), "cp1256 windows-1256 x-cp1256"),
    ("windows-1257", .icu("windows-1257"), "cp1257 windows-1257 x-cp1257"),
    ("windows-1258", .icu("windows-1258"), "cp1258 windows-1258 x-cp1258"),
    ("x-mac-cyrillic", .icu("x-mac-cyrillic"), "x-mac-cyrillic x-mac-ukrainian"),
    (
        "GBK", .icu("gb18030"),
        "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk"
    ),
    ("gb18030", .icu("gb18030"), "gb18030"),
    ("Big5", .icu("Big5-HKSCS"), "big5 big5-hkscs cn-big5 csbig5 x-x-big5"),
    ("EUC-JP", .icu("EUC-JP"), "cseucpkdfmtjapanese euc-jp x-euc-jp"),
    ("ISO-2022-JP", .icu("ISO-2022-JP"), "csiso2022jp iso-2022-jp"),
    (
        "Shift_JIS", .icu("windows-31j"),
        "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis"
    ),
    (
        "EUC-KR", .icu("windows-949"),
        """
        cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949
        """
    ),
    ("replacement", .replacement, "csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr replacement"),
    ("UTF-16BE", .icu("UTF-16BE"), "unicodefffe utf-16be"),
    ("UTF-16LE", .icu("UTF-16LE"), "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le"),
    ("x-user-defined", .table((0..<128).map { 0xF780 + $0 }), "x-user-defined"),
]

let charsetsByLabel: [String: Charset] = charsets.reduce(into: [:]) { byLabel, row in
    let charset = Charset(name: row.name, method: row.method)
    for label in row.labels.split(separator: " ") { byLabel[String(label)] = charset }
}

/// U+0080 to U+009F are printable in windows-1252, where they are given at all; the rest is Latin-1.
let windows1252Table: [UInt16] =
    [
        0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D,
        0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
        0x0153, 0x009D, 0x017E, 0x0178,
    ] + Array(0x00A0...0x00FF)

/// ISO 8859-16 is Latin-1 with these letters in place of some signs.
private let iso885916Table: [UInt16] = {
    var table: [UInt16] = Array(0x0080...0x00FF)
    let letters: [(UInt8, UInt16)] = [
        (0xA1, 0x0104), (0xA2, 0x0105), (0xA3, 0x0141), (0xA4, 0x20AC), (0xA5, 0x201E), (0xA6, 0x0160), (0xA8, 0x0161),
        (0xAA, 0x0218), (0xAC, 0x0179), (0xAE, 0x017A), (0xAF, 0x017B), (0xB2, 0x010C), (0xB3, 0x0142), (0xB4, 0x017D),
        (0xB5, 0x201D), (0xB8, 0x017E), (0xB9, 0x010D), (0xBA, 0x0219), (0xBC, 0x0152), (0xBD, 0x0153), (0xBE, 0x0178),
        (0xBF, 0x017C), (0xC3, 0x0102), (0xC5, 0x0106), (0xD0, 0x0110), (0xD1, 0x0143), (0xD5, 0x0150), (0xD7, 0x015A),
        (0xD8, 0x0170), (0xDD, 0x0118), (0xDE, 0x021A), (0xE3, 0x0103), (0xE5, 0x0107), (0xF0, 0x0111), (0xF1, 0x0144),
        (0xF5, 0x0151), (0xF7, 0x015B), (0xF8, 0x0171), (0xFD, 0x0119), (0xFE, 0x021B),
    ]
    for (byte, scalar) in letters { table[Int(byte & 0x7F)] = scalar }
    return table
}()
