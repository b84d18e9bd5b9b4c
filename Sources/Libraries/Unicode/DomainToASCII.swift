import CShims

/// A domain in the ASCII form that goes on the wire: UTS 46 ToASCII as the WHATWG URL standard's "domain to ASCII"
/// asks for it (CheckBidi and CheckJoiners on, CheckHyphens, UseSTD3ASCIIRules and VerifyDnsLength off,
/// non-transitional).
///
/// `domain` is UTF-8; bytes that are not make it invalid. Nil when the standard says failure. An empty result is
/// given as it is: whether it is an error is the caller's to say, and so is the list of forbidden code points.
package func domainToASCII(_ domain: [UInt8]) -> [UInt8]? {
    var capacity = domain.count &* 2 &+ 64
    while let length = Int32(exactly: domain.count), let room = Int32(exactly: capacity) {
        var written: Int32 = -1
        let ascii = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            written = domain.withUnsafeBytes { name in
                nj_icu_domain_to_ascii(name.bindMemory(to: CChar.self).baseAddress, length, buffer.baseAddress, room)
            }
            count = max(0, Int(written))
        }
        // Punycode can be longer than UTF-8 by more than the guess, but never without bound.
        guard written == -2, capacity < domain.count &* 16 &+ 4096 else {
            return written >= 0 && punycodeLabelsDecode(ascii) ? ascii : nil
        }
        capacity &*= 4
    }
    return nil
}

/// ICU lets pass an `xn--` label that decodes to nothing or to ASCII alone, which UTS 46 forbids since revision 33.
private func punycodeLabelsDecode(_ ascii: [UInt8]) -> Bool {
    ascii.split(separator: UInt8(ascii: ".")).allSatisfy { label in
        guard label.starts(with: Array("xn--".utf8)) else { return true }
        return label.count > 4 && label.last != UInt8(ascii: "-")
    }
}
