import Crawling
import Testing
import URLs

/// A page as each server writes it for a folder, each with the same two entries: the folder `e` and the file `x y.bin`.
private let samples: [(server: String, html: String)] = [
    (
        "nginx",
        """
        <html><head><title>Index of /d/s/</title></head><body><h1>Index of /d/s/</h1><hr><pre><a href="../">../</a>
        <a href="e/">e/</a>           01-Jan-2024 00:00   -
        <a href="x%20y.bin">x y.bin</a>   01-Jan-2024 00:00   5
        </pre><hr></body></html>
        """
    ),
    (
        "Apache, plain",
        """
        <html><head><title>Index of /d/s</title></head><body><h1>Index of /d/s</h1>
        <ul><li><a href="/d/"> Parent Directory</a></li><li><a href="e/"> e/</a></li>
        <li><a href="x%20y.bin"> x y.bin</a></li></ul></body></html>
        """
    ),
    (
        "Apache, FancyIndexing",
        """
        <title>Index of /d/s</title><pre><img src="/icons/blank.gif" alt="Icon "> <a href="?C=N;O=D">Name</a>
        <a href="?C=M;O=A">Last modified</a> <a href="?C=S;O=A">Size</a> <a href="?C=D;O=A">Description</a><hr>
        <img src="/icons/back.gif" alt="[PARENTDIR]"> <a href="/d/">Parent Directory</a>
        <img src="/icons/folder.gif" alt="[DIR]"> <a href="e/">e/</a>  2024-01-01 00:00 -
        <img src="/icons/binary.gif" alt="[   ]"> <a href="x%20y.bin">x y.bin</a> 2024-01-01 00:00 5 <hr></pre>
        """
    ),
    (
        "Apache, HTMLTable",
        """
        <title>Index of /d/s</title><table><tr><th valign="top"><img src="/icons/blank.gif" alt="[ICO]"></th>
        <th><a href="?C=N&amp;O=D">Name</a></th><th><a href="?C=M&amp;O=A">Last modified</a></th></tr>
        <tr><td><a href="/d/"><img src="/icons/back.gif" alt="[PARENTDIR]"></a></td><td><a href="/d/">Parent Directory</a>
        <tr><td><img src="/icons/folder.gif" alt="[DIR]"></td><td><a href="e/">e/</a></td></tr>
        <tr><td><img src="/icons/unknown.gif" alt="[ ]"></td><td><a href="x%20y.bin">x y.bin</a></td></tr></table>
        """
    ),
    (
        "Apache 1.3",
        """
        <TITLE>Index of /d/s</TITLE><PRE><A HREF="?N=D">Name</A> <A HREF="?M=A">Last modified</A> <A HREF="?S=A">Size</A>
        <A HREF="/d/">Parent Directory</A> <A HREF="e/">e/</A> <A HREF="x%20y.bin">x y.bin</A></PRE>
        """
    ),
    (
        "lighttpd",
        """
        <title>Index of /d/s/</title><table><thead><tr><th class="n">Name</th></tr></thead><tbody>
        <tr class="d"><td class="n"><a href="../">..</a>/</td></tr><tr class="d"><td class="n"><a href="e/">e</a>/</td></tr>
        <tr><td class="n"><a href="x%20y.bin">x y.bin</a></td></tr></tbody></table>
        """
    ),
    (
        "caddy",
        """
        <title>s</title><a href="../../">/</a><a href="../">d</a><a href="./">s</a>
        <a href="./?sort=namedirfirst&amp;order=desc">N</a><a href="./?sort=name&amp;order=asc">Name</a>
        <a href="./?sort=size&amp;order=asc">Size</a><a href="./?layout=grid">Grid</a><a href=".."><span>Up</span></a>
        <a href="./e/"><span>e</span></a><a href="./x%20y.bin"><span>x y.bin</span></a>
        """
    ),
    (
        "IIS",
        """
        <head><title>h.example - /d/s/</title></head><body><H1>h.example - /d/s/</H1><hr>
        <pre><A HREF="/d/">[To Parent Directory]</A><br><br> 1/1/2024 12:00 AM  &lt;dir&gt; <A HREF="/d/s/e/">e</A><br>
        1/1/2024 12:00 AM 5 <A HREF="/d/s/x%20y.bin">x y.bin</A><br></pre>
        """
    ),
    (
        "Python",
        """
        <!DOCTYPE HTML><title>Directory listing for /d/s/</title><h1>Directory listing for /d/s/</h1><hr><ul>
        <li><a href="e/">e/</a></li><li><a href="x%20y.bin">x y.bin</a></li></ul><hr>
        """
    ),
    (
        "without a title",
        """
        <title>Repository</title><a href="../">../</a> <a href="https://h.example/d/s/">here</a> <a href="e/">e</a>
        <a href="x%20y.bin">x</a>
        """
    ),
]

struct ListingTests {
    @Test(arguments: samples.map(\.server)) func entriesAloneAreFollowed(server: String) throws {
        let html = try #require(samples.first { $0.server == server }).html
        let address = url("https://h.example/d/s/")
        let page = LinkExtractor().links(in: Array(html.utf8), url: address, contentType: "text/html")
        #expect(page.isListing)
        let found = page.findings(at: address).filter { $0.skip == nil }
        #expect(found.map(\.url) == ["https://h.example/d/s/e/", "https://h.example/d/s/x%20y.bin"])
    }

    @Test func listingsThatTakeTheirFolderFromTheQuery() {
        let html = """
            <title>Index of ./a b</title><a href="?dir=.">top</a><a href="?dir=a%20b">a b</a><a href="?">..</a>
            <a href="?dir=a+b&amp;sort=name&amp;order=desc">Name</a><a href="?dir=a+b/c">c</a><a href="a%20b/x.bin">x</a>
            """
        let address = url("https://h.example/?dir=a+b")
        let page = LinkExtractor().links(in: Array(html.utf8), url: address, contentType: "text/html")
        #expect(
            page.findings(at: address).filter { $0.skip == nil }.map(\.url) == [
                "https://h.example/?dir=a+b/c", "https://h.example/a%20b/x.bin",
            ])
    }

    @Test(arguments: ["Index of economic freedom", "Contents of this issue", "Directory", "Reports"])
    func articlesAreNoListings(title: String) {
        let html = "<title>\(title)</title><a href=/>Home</a><a href=?page=2>2</a><a href=x.pdf>x</a>"
        let page = LinkExtractor().links(in: Array(html.utf8), url: url("https://h.example/d/"), contentType: nil)
        #expect(!page.isListing)
    }
}
