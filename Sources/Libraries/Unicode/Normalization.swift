import CShims

extension String {
    /// The text in Unicode normalisation form C, the form in which file names are stored and compared.
    package var nfc: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        let units = Array(utf16)
        guard let length = Int32(exactly: units.count), length < Int32.max / 4 else { return self }
        // NFC grows UTF-16 text at most threefold (UAX 15, expansion factors).
        let capacity = length * 3 + 16
        var needed: Int32 = -1
        let composed = [UInt16](unsafeUninitializedCapacity: Int(capacity)) { buffer, count in
            needed = nj_icu_nfc(units, length, buffer.baseAddress, capacity)
            count = min(max(0, Int(needed)), Int(capacity))
        }
        return needed >= 0 && needed <= capacity ? String(decoding: composed, as: UTF16.self) : self
    }
}
