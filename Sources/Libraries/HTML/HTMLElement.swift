/// The elements that the reader or its users treat in a way of their own.
package enum HTMLElement: String, Sendable, CaseIterable {
    /// Every other element.
    case other = ""
    // Those that carry links.
    case a, area, audio, base, embed, frame, iframe, image, img, link, meta, object, source, track, video
    // Those whose content is raw text.
    case noembed, noframes, plaintext, script, style, textarea, title, xmp
    // Those that decide what is part of the document.
    case body, frameset, head, html, svg, math, template
    // Those with no content.
    case br, col, hr, input, keygen, param, wbr
    // Those that end foreign content.
    case b, big, blockquote, center, code, dd, div, dl, dt, em, font, h1, h2, h3, h4, h5, h6, i, li, listing, menu
    case nobr, ol, p, pre, ruby, s, small, span, strike, strong, sub, sup, table, tt, u, ul
    case `var`
    // Where HTML stands inside foreign content.
    case foreignObject = "foreignobject"
    case annotationXML = "annotation-xml"
    case desc, malignmark, mglyph, mi, mn, mo, ms, mtext
    // Those that matter to a page with frames.
    case applet, button, marquee, select

    /// An element that has no end tag (WHATWG HTML, 13.1.2).
    package var isVoid: Bool {
        switch self {
        case .area, .base, .br, .col, .embed, .hr, .img, .image, .input, .keygen, .link, .meta, .param, .source, .track,
            .wbr:
            true
        default: false
        }
    }

    /// True for a start tag that cannot stand in SVG or MathML and ends it (WHATWG HTML, 13.2.6.5).
    var endsForeignContent: Bool {
        switch self {
        case .b, .big, .blockquote, .body, .br, .center, .code, .dd, .div, .dl, .dt, .em, .embed, .h1, .h2, .h3, .h4,
            .h5, .h6, .head, .hr, .i, .img, .li, .listing, .menu, .meta, .nobr, .ol, .p, .pre, .ruby, .s, .small, .span,
            .strong, .strike, .sub, .sup, .table, .tt, .u, .ul, .var:
            true
        default: false
        }
    }

    /// True for a start tag after which a frameset can no longer take the body's place (WHATWG HTML, 13.2.6.4.7).
    var forbidsFrameset: Bool {
        switch self {
        case .body, .pre, .listing, .li, .dd, .dt, .button, .applet, .marquee, .object, .table, .area, .br, .embed,
            .img, .image, .keygen, .wbr, .input, .hr, .textarea, .xmp, .iframe, .select:
            true
        default: false
        }
    }
}

/// A name's 64-bit FNV-1a hash in lower case: enough to tell the names of one page apart, and cheap to compare.
struct NameKey: Hashable {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    @inline(__always) mutating func append(_ byte: UInt8) {
        value = (value ^ UInt64(lowercased(byte))) &* 0x100_0000_01B3
    }
}

/// Finds an element by its name's key in a table with open addressing.
struct ElementTable {
    private var keys = [UInt64](repeating: 0, count: 512)
    private var elements = [HTMLElement](repeating: .other, count: 512)

    static let standard = ElementTable()

    private init() {
        for element in HTMLElement.allCases where element != .other {
            var key = NameKey()
            for byte in element.rawValue.utf8 { key.append(byte) }
            var slot = Self.slot(key)
            while keys[slot] != 0 { slot = (slot + 1) & 511 }
            keys[slot] = key.value
            elements[slot] = element
        }
    }

    /// Short names differ in few bits of their hash: all of it is folded together.
    private static func slot(_ key: NameKey) -> Int {
        Int(truncatingIfNeeded: key.value ^ key.value >> 29 ^ key.value >> 47) & 511
    }

    func find(_ key: NameKey) -> HTMLElement {
        var slot = Self.slot(key)
        while keys[slot] != 0 {
            if keys[slot] == key.value { return elements[slot] }
            slot = (slot + 1) & 511
        }
        return .other
    }
}
