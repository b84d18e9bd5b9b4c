import Testing

@testable import Templates

@Suite struct TemplateTests {
    @Test func takesFieldsAndText() throws {
        let template = try Template("{{{date:yyyy-MM-dd}}}_{stem}.{ext}", fields: .name)
        #expect(
            template.parts == [
                .text("{"), .field(name: "date", argument: "yyyy-MM-dd"), .text("}_"),
                .field(name: "stem", argument: nil), .text("."), .field(name: "ext", argument: nil),
            ])
        #expect(template.render { field, argument in argument ?? field.uppercased() } == "{yyyy-MM-dd}_STEM.EXT")
        #expect(template.contains(field: "stem"))
        #expect(!template.contains(field: "seq"))
    }

    @Test func defaultsAreWhatTheirTextSays() throws {
        #expect(try Template(Template.defaultName.source, fields: .name) == .defaultName)
        #expect(try Template(Template.defaultBundle.source, fields: .bundle) == .defaultBundle)
    }

    @Test(arguments: [
        ("{date} {modified:yyyy} {item-date:HH:mm}", TemplateFields.name), ("{host}/{path}/{stem}.{ext}", .name),
        ("{query}{text}{job}{run}{seq}{seq:0000}{sha256}{sha256:12}{url-id}", .name), ("plain", .name),
        ("{job}-{run}-{pack}-{date:yyyyMMdd}.{ext}", .bundle), ("https://x.test/{date:yyyyMMdd-1d}.csv", .start),
        ("https://x.test/{date:yyyy-MM-dd}/{date:HH+12h}?q={n:1..20}&r={n}", .start), ("보고서-{stem}", .name),
    ])
    func accepts(source: String, fields: TemplateFields) throws {
        #expect(try Template(source, fields: fields).source == source)
    }

    @Test(arguments: [
        ("", TemplateFields.name, 0, "empty"), ("{stem", .name, 0, "{{"), ("a}b", .name, 1, "}}"),
        ("a-{stme}", .name, 3, "did you mean {stem}?"), ("{dat:yyyy}", .name, 1, "did you mean {date}?"),
        ("{pack}", .name, 1, "has no field {pack}"), ("{stem}", .bundle, 1, "{job}"), ("{}", .name, 1, "no field"),
        ("é{date:yyyyDD}", .name, 12, "DD"), ("{date:}", .name, 6, "pattern"), ("{stem:3}", .name, 6, "nothing"),
        ("{seq:12}", .name, 5, "{seq:0000}"), ("{sha256:65}", .name, 8, "1 to 64"), ("{sha256:x}", .name, 8, "64"),
        ("/{stem}", .name, 0, "below the job's folder"), ("a/{job}", .bundle, 1, "/"), ("a\u{1}", .name, 1, "control"),
        ("{n:20..1}", .start, 3, "low to high"), ("{n}", .start, 0, "repeats"), ("{n:1..200000}", .start, 0, "100000"),
        ("{n:1..1000}{n:1..1000}", .start, 0, "100000"), ("{n:1..9999999999}", .start, 3, "low to high"),
        ("{date:yyyy-1x}", .start, 12, "\"x\""), ("{a{stem}", .name, 0, "never closed"),
    ])
    func refuses(source: String, fields: TemplateFields, offset: Int, part: String) {
        let error = #expect(throws: TemplateError.self) { try Template(source, fields: fields) }
        #expect(error?.offset == offset)
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [("", "abc", 3), ("stem", "stme", 1), ("kitten", "sitting", 3), ("a", "a", 0)])
    func countsDifferences(left: String, right: String, distance: Int) {
        #expect(TemplateParser.distance(left, right) == distance)
    }
}
