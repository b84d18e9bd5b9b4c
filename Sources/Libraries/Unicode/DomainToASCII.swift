import CShims

/// A domain in the ASCII form that goes on the wire: UTS 46 ToASCII as the WHATWG URL standard's "domain to ASCII"
/// asks for it (CheckBidi and CheckJoiners on, CheckHyphens, UseSTD3ASCIIRules and VerifyDnsLength off,
/// non-transitional).
///
/// `domain` is UTF-8; bytes that are not make it invalid. Nil when the standard says failure. An empty result is
/// given as it is: whether it is an error is the caller's to say, and so is the list of forbidden code points.
package func domainToASCII(_ domain: [UInt8]) -> [UInt8]? {
    if let ascii = toASCII(domain, checkBidi: true) { return ascii }
    // Browsers do not hold labels in plain ASCII to the bidi rule, which forbids `1.` before an Arabic label; ICU does.
    guard let ascii = toASCII(domain, checkBidi: false) else { return nil }
    let labels = ascii.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let encoded = labels.map { $0.starts(with: punycodeMark) ? $0 : [UInt8(ascii: "a")] }
    return toASCII(Array(encoded.joined(separator: [UInt8(ascii: ".")])), checkBidi: true) == nil ? nil : ascii
}

private func toASCII(_ domain: [UInt8], checkBidi: Bool) -> [UInt8]? {
    var capacity = domain.count &* 2 &+ 64
    while let length = Int32(exactly: domain.count), let room = Int32(exactly: capacity) {
        var written: Int32 = -1
        let ascii = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            written = domain.withUnsafeBytes { name in
                nj_icu_domain_to_ascii(
                    name.bindMemory(to: CChar.self).baseAddress, length, checkBidi ? 1 : 0, buffer.baseAddress, room)
            }
            count = max(0, Int(written))
        }
        if written >= 0 { return punycodeLabelsDecode(ascii) ? ascii : nil }
        // Punycode can be longer than the guess, but not without bound: a code point takes at most some digits.
        guard written == tooSmall, capacity < domain.count &* 16 &+ 4096 else { return nil }
        capacity &*= 4
    }
    return nil
}

/// ICU lets pass an `xn--` label that decodes to nothing or to ASCII alone, which UTS 46 forbids since revision 33.
private func punycodeLabelsDecode(_ ascii: [UInt8]) -> Bool {
    ascii.split(separator: UInt8(ascii: ".")).allSatisfy { label in
        !label.starts(with: punycodeMark) || label.count > punycodeMark.count && label.last != UInt8(ascii: "-")
    }
}

private let punycodeMark = Array("xn--".utf8)
private let tooSmall: Int32 = -2
