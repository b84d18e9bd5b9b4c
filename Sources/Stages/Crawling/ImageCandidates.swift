/// One image of a `srcset`.
struct ImageCandidate {
    var url: [UInt8]
    /// Pixels by `w`, or nil.
    var width: Int?
    /// Device pixels for one CSS pixel by `x`, or nil.
    var density: Double?
}

/// The candidates of a `srcset` whose descriptors are well formed (WHATWG HTML, 4.8.4.3.9, parse a srcset attribute).
func imageCandidates(_ srcset: [UInt8]) -> [ImageCandidate] {
    var candidates: [ImageCandidate] = []
    var index = 0
    while true {
        while index < srcset.count, isHTMLSpace(srcset[index]) || srcset[index] == comma { index += 1 }
        if index == srcset.count || candidates.count == mostCandidates { return candidates }
        let start = index
        while index < srcset.count, !isHTMLSpace(srcset[index]) { index += 1 }
        var url = srcset[start..<index]
        var descriptors: [ArraySlice<UInt8>] = []
        if url.last == comma {
            while url.last == comma { url.removeLast() }
        } else {
            descriptors = takeDescriptors(srcset, &index)
        }
        if let candidate = candidate(url, descriptors) { candidates.append(candidate) }
    }
}

/// An image has more sizes than this only in order to do harm.
private let mostCandidates = 10_000

private let comma = UInt8(ascii: ",")

/// Splits at whitespace up to the next comma; both mean nothing in parentheses.
private func takeDescriptors(_ srcset: [UInt8], _ index: inout Int) -> [ArraySlice<UInt8>] {
    var descriptors: [ArraySlice<UInt8>] = []
    var start: Int?
    var isInParentheses = false
    func finish() {
        if let first = start { descriptors.append(srcset[first..<index]) }
        start = nil
    }
    while index < srcset.count {
        let byte = srcset[index]
        if isInParentheses {
            if byte == UInt8(ascii: ")") { isInParentheses = false }
        } else if isHTMLSpace(byte) {
            finish()
            index += 1
            continue
        } else if byte == comma {
            finish()
            index += 1
            return descriptors
        } else if byte == UInt8(ascii: "(") {
            isInParentheses = true
        }
        if start == nil { start = index }
        index += 1
    }
    finish()
    return descriptors
}

private func candidate(_ url: ArraySlice<UInt8>, _ descriptors: [ArraySlice<UInt8>]) -> ImageCandidate? {
    var result = ImageCandidate(url: Array(url))
    var height: Int?
    for descriptor in descriptors {
        let value = descriptor.dropLast()
        switch descriptor.last {
        case UInt8(ascii: "w"):
            guard let width = nonNegativeInteger(value), width > 0, result.width == nil, result.density == nil else {
                return nil
            }
            result.width = width
        case UInt8(ascii: "x"):
            guard let density = floatingPoint(value), density >= 0, result.width == nil, result.density == nil,
                height == nil
            else { return nil }
            result.density = density
        case UInt8(ascii: "h"):
            guard let number = nonNegativeInteger(value), number > 0, height == nil, result.density == nil else {
                return nil
            }
            height = number
        default: return nil
        }
    }
    return height != nil && result.width == nil ? nil : result
}

/// A valid non-negative integer; one too large for the machine is the largest.
private func nonNegativeInteger(_ text: ArraySlice<UInt8>) -> Int? {
    guard !text.isEmpty, text.allSatisfy(isASCIIDigit) else { return nil }
    return Int(String(decoding: text, as: UTF8.self)) ?? Int.max
}

/// A valid floating-point number of the standard: `-1.5e3`, `.5`; no `+` in front, no `1.`, no `inf`.
private func floatingPoint(_ text: ArraySlice<UInt8>) -> Double? {
    var rest = text
    if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
    let whole = rest.prefix(while: isASCIIDigit)
    rest = rest.dropFirst(whole.count)
    if rest.first == UInt8(ascii: ".") {
        let fraction = rest.dropFirst().prefix(while: isASCIIDigit)
        if fraction.isEmpty { return nil }
        rest = rest.dropFirst(1 + fraction.count)
    } else if whole.isEmpty {
        return nil
    }
    if let byte = rest.first {
        guard lowercasedASCII(byte) == UInt8(ascii: "e") else { return nil }
        rest = rest.dropFirst()
        if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest = rest.dropFirst() }
        guard !rest.isEmpty, rest.allSatisfy(isASCIIDigit) else { return nil }
    }
    let written = String(decoding: text, as: UTF8.self)
    return Double(text.first == UInt8(ascii: ".") ? "0" + written : written)
}
