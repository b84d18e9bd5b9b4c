import Model
import URLs

/// The entries of a folder as an FTP server lists it: as `ls -l` writes them, as DOS does, as MLSD (RFC 3659, 7) or
/// EPLF. Lines that are none of these say nothing.
///
/// Names are kept byte for byte, percent-encoded, so that the server gets back what it sent; one that would lead out of
/// the folder is no entry.
func collectFTPListing(_ body: [UInt8], into sink: inout LinkSink) {
    for line in body.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
        guard let entry = FTPEntry(line) else { continue }
        let reference = escaped(entry.name) + (entry.isFolder ? [UInt8(ascii: "/")] : [])
        guard let index = sink.add(Array("./".utf8) + reference, source: entry.isFolder ? "ftp[folder]" : "ftp[file]")
        else { continue }
        var text = CollapsedText()
        text.append(Array(entry.name))
        sink.page.links[index].text = text.text
    }
}

private struct FTPEntry {
    let name: ArraySlice<UInt8>
    let isFolder: Bool

    /// Nil for what is no entry, and for the folder itself and the one above.
    init?(_ line: ArraySlice<UInt8>) {
        guard let (name, isFolder) = entryOfMLSD(line) ?? entryOfEPLF(line) ?? entryOfUnix(line) ?? entryOfDOS(line),
            !name.isEmpty, !name.elementsEqual(".".utf8), !name.elementsEqual("..".utf8),
            !name.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 })
        else { return nil }
        self.name = name
        self.isFolder = isFolder
    }
}

private typealias Entry = (name: ArraySlice<UInt8>, isFolder: Bool)

/// `type=dir;modify=20260101120000; name`.
private func entryOfMLSD(_ line: ArraySlice<UInt8>) -> Entry? {
    guard let space = line.firstIndex(of: 0x20), line[..<space].last == UInt8(ascii: ";") else { return nil }
    let facts = line[..<space].split(separator: UInt8(ascii: ";"))
    guard facts.allSatisfy({ $0.contains(UInt8(ascii: "=")) }),
        let type = facts.first(where: { startsIgnoringCase($0, "type=") })?.dropFirst(5)
    else { return nil }
    // The folder itself and the one above have types of their own.
    guard equalsIgnoringCase(type, "dir") || startsIgnoringCase(type, "file") || startsIgnoringCase(type, "os.unix=")
    else { return nil }
    return (line[(space + 1)...], equalsIgnoringCase(type, "dir"))
}

/// `+i8388621.48594,m825718503,r,s280,` TAB name (cr.yp.to/ftp/list/eplf.html).
private func entryOfEPLF(_ line: ArraySlice<UInt8>) -> Entry? {
    guard line.first == UInt8(ascii: "+"), let tab = line.firstIndex(of: 0x09) else { return nil }
    let facts = line[line.index(after: line.startIndex)..<tab].split(separator: UInt8(ascii: ","))
    return (line[(tab + 1)...], facts.contains { $0.elementsEqual("/".utf8) })
}

/// `drwxr-xr-x 2 owner group 4096 Jan 1 12:00 name`, with or without the group, the date as it may be written.
private func entryOfUnix(_ line: ArraySlice<UInt8>) -> Entry? {
    let words = line.split(separator: 0x20)
    guard words.count >= 5, let type = line.first, "-dlbcps".utf8.contains(type),
        words[0].dropFirst().prefix(9).allSatisfy({ "rwxsStTlL-".utf8.contains($0) }), words[0].count >= 10
    else { return nil }
    for index in 2..<words.count {
        guard let end = endOfDate(words, at: index) else { continue }
        // One blank, and what follows belongs to the name, blanks too.
        var name = line[words[end].endIndex...].dropFirst()
        if type == UInt8(ascii: "l") { name = beforeArrow(name) }
        guard !"bcps".utf8.contains(type) else { return nil }
        return (name, type == UInt8(ascii: "d"))
    }
    return nil
}

/// The last word of a date that begins there: `Jan 1 12:00`, `1 Jan 2026`, `2026-01-01 12:00`.
private func endOfDate(_ words: [ArraySlice<UInt8>], at index: Int) -> Int? {
    func isNumber(_ word: ArraySlice<UInt8>, _ lengths: ClosedRange<Int>) -> Bool {
        lengths.contains(word.count) && word.allSatisfy(isASCIIDigit)
    }
    func isClock(_ word: ArraySlice<UInt8>) -> Bool {
        word.count >= 4 && word.contains(UInt8(ascii: ":"))
            && word.allSatisfy { isASCIIDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
    }
    let word = words[index]
    if index + 1 < words.count, word.count == 10, isClock(words[index + 1]),
        word.split(separator: UInt8(ascii: "-")).map(\.count) == [4, 2, 2]
    {
        return index + 1
    }
    guard index + 2 < words.count else { return nil }
    let isDated =
        isMonth(word) && isNumber(words[index + 1], 1...2) || isNumber(word, 1...2) && isMonth(words[index + 1])
    let last = words[index + 2]
    return isDated && (isClock(last) || isNumber(last, 4...4)) ? index + 2 : nil
}

private func isMonth(_ word: ArraySlice<UInt8>) -> Bool {
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"].contains {
        equalsIgnoringCase(word, $0)
    }
}

private func beforeArrow(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var index = name.startIndex
    while index < name.endIndex {
        if name[index] == 0x20, name[index...].starts(with: " -> ".utf8) { return name[..<index] }
        index += 1
    }
    return name
}

/// `01-31-26  12:00PM  <DIR>  name`, `01-31-2026  12:00  4096 name`.
private func entryOfDOS(_ line: ArraySlice<UInt8>) -> Entry? {
    let words = line.split(separator: 0x20, maxSplits: 3)
    guard words.count == 4, words[0].split(separator: UInt8(ascii: "-")).count == 3,
        words[0].allSatisfy({ isASCIIDigit($0) || $0 == UInt8(ascii: "-") }), words[1].contains(UInt8(ascii: ":"))
    else { return nil }
    if equalsIgnoringCase(words[2], "<dir>") { return (words[3].drop { $0 == 0x20 }, true) }
    guard words[2].allSatisfy(isASCIIDigit) else { return nil }
    return (line[words[2].endIndex...].dropFirst(), false)
}

/// Every byte that is not unreserved (RFC 3986, 2.3) percent-encoded.
private func escaped(_ name: ArraySlice<UInt8>) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return name.flatMap { byte -> [UInt8] in
        let isPlain = isASCIIDigit(byte) || (byte | 0x20) &- 0x61 < 26 || "-._~".utf8.contains(byte)
        return isPlain ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
