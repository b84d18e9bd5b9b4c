import Unicode

/// The "host parser" of the WHATWG URL standard, section 3.5: appends the serialised host, or says failure.
func appendHost(_ input: Span<UInt8>, isSpecial: Bool, to out: inout [UInt8]) -> Bool {
    if input[0] == UInt8(ascii: "[") {
        guard input.count > 2, input[input.count - 1] == UInt8(ascii: "]"),
            let address = IPv6Address(input.extracting(1..<input.count - 1))
        else { return false }
        address.append(to: &out)
        return true
    }
    guard isSpecial else { return appendOpaqueHost(input, to: &out) }
    let start = out.count
    guard appendPlainDomain(input, to: &out) || appendDomain(input, to: &out) else { return false }
    guard endsInNumber(out[start...]), !isPlainIPv4(out[start...]) else { return true }
    guard let address = parseIPv4(out[start...]) else { return false }
    out.removeSubrange(start...)
    appendIPv4(address, to: &out)
    return true
}

private func appendOpaqueHost(_ input: Span<UInt8>, to out: inout [UInt8]) -> Bool {
    let forbidden = ByteSet.forbiddenInHost
    let encoded = ByteSet.control
    for index in 0..<input.count {
        if forbidden.containsASCII(input[index]) { return false }
        out.append(input[index], encoding: encoded)
    }
    return true
}

/// The common case, for which the standard's ToASCII is lower case: allowed ASCII only, and no label in Punycode.
private func appendPlainDomain(_ input: Span<UInt8>, to out: inout [UInt8]) -> Bool {
    let forbidden = ByteSet.forbiddenInDomain
    var label = 0
    var hasCapitals = false
    for index in 0..<input.count {
        let byte = input[index]
        if forbidden.contains(byte) { return false }
        if byte == UInt8(ascii: ".") { label = index &+ 1 }
        if byte &- 0x41 < 26 { hasCapitals = true }
        if byte == UInt8(ascii: "-"), index == label &+ 3, isPunycodeMark(input, label) { return false }
    }
    if hasCapitals {
        for index in 0..<input.count { out.append(input[index].asciiLowercased) }
    } else {
        out.append(input, 0..<input.count)
    }
    return true
}

private func isPunycodeMark(_ input: Span<UInt8>, _ label: Int) -> Bool {
    input[label] | 0x20 == UInt8(ascii: "x") && input[label + 1] | 0x20 == UInt8(ascii: "n")
        && input[label + 2] == UInt8(ascii: "-")
}

/// The general case.
private func appendDomain(_ input: Span<UInt8>, to out: inout [UInt8]) -> Bool {
    let decoded = percentDecoded(input)
    if appendPlainDomain(decoded.span, to: &out) { return true }
    let forbidden = ByteSet.forbiddenInDomain
    guard let ascii = domainToASCII(decoded), !ascii.isEmpty, !ascii.contains(where: forbidden.contains) else {
        return false
    }
    out.append(contentsOf: ascii)
    return true
}

/// Bytes with each `%XX` replaced by what it stands for; other percent signs stay.
package func percentDecoded(_ input: Span<UInt8>) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(input.count)
    var index = 0
    while index < input.count {
        if input[index] == UInt8(ascii: "%"), index + 2 < input.count, let high = input[index + 1].hexValue,
            let low = input[index + 2].hexValue
        {
            decoded.append(high << 4 | low)
            index += 3
        } else {
            decoded.append(input[index])
            index += 1
        }
    }
    return decoded
}
