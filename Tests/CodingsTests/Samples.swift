/// The text that the coded samples hold.
let sampleText = (0..<60).map { "line \($0) of a page with <a href='/f\($0).pdf'>a file</a>\n" }.joined()

/// What `brotli` and `zstd` made of it, and of 64 MiB of zeros.
enum Sample {
    static let brotli = base64Decoded(
        "G1cMOJwFdvMF0vSWjXbMxzhCpauyqSxCkfXtOElCvvi8JciJWSqEwVHUzr1ZPKTX0MKAQ6pDPKH0SxZQMWlwqOd9Rsz121+u9/8qj3G2UgCU"
            + "QBVIDdZAtKF1YHRh9eBeUV5QGAKmkCViizkSbmkeGV5ZPrjKKiyGgClkidhijoRbmkeGV5YPrqqKiiFgClkitpgj4ZbmkeGV5YOrruJi"
            + "CJhClogt5ki4pXlkeGX54GqqpBgCppAlYos5Em5pHhleWb71AQ==")
    static let zstd = base64Decoded(
        "KLUv/WBYCwUGACLLHhaATQe4RRgIip0mQBUl2U12CRF0HpwO++7dzLuqmYh3trb/7t3Mu6qZiHempv/u3cy7qpmId5aW/+7dzLuqmYh3hob/"
            + "7t3Mu6qZiHdm9+/ezbyrmol4BxhrIJCGSdQyguSABEuGoEiQaFGLUIvETApRFqSWSh5lCnGYJneoEbC7/3fgNZYDESQEv0IgkgXRBxW2"
            + "SaRSnY58EUlkoZNdQpJU6OSTSCQLHfkikkgT3v5cfKHDl3R4QQZhMxbYVQ==")
    static let brotliBomb = base64Decoded(
        "y///P/gnAOKxQCD3/o///3/wTwDEYRGA7v0f////4J8AiMMCAN37P/7//8E/ARCHBQC693/8//+DfwIgDgsAdO//+P//B/8EQBwWAOje//H/"
            + "/w/+CYA4LADQvf/j//8f/BMAcVgAoHv/Nw==")

    private static func base64Decoded(_ text: String) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var result: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for character in text.utf8 {
            guard let value = alphabet.firstIndex(of: character) else { break }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                result.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return result
    }
}
