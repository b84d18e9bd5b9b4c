import CYAML

/// libyaml's parser over bytes that outlive it. libyaml keeps pointers into itself, so it lives on the heap and stays.
struct EventParser: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>

    /// - Parameter bytes: UTF-8; must stay valid and in place while the parser lives.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        parser = .allocate(capacity: 1)
        guard yaml_parser_initialize(parser) == 1 else {
            parser.deallocate()
            return nil
        }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    enum Step {
        case more
        case end
        case failed
    }

    /// Feeds the next event to the tree.
    mutating func step(into tree: inout TreeBuilder, documents: inout Int) -> Step {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { return .failed }
        defer { yaml_event_delete(&event) }
        let start = SourcePosition(event.start_mark)
        switch event.type {
        case YAML_STREAM_END_EVENT: return .end
        case YAML_DOCUMENT_START_EVENT:
            documents += 1
            if documents > 1 {
                tree.stop(start, "a second document begins here; a manifest is one document (one job, one file)")
            }
        case YAML_ALIAS_EVENT:
            tree.note(
                start, "an alias (*name) is not allowed; write the value again, or in quotes if it is meant as text")
            tree.addRefused(at: start)
        case YAML_SCALAR_EVENT: scalar(event, at: start, into: &tree)
        case YAML_SEQUENCE_START_EVENT:
            let data = event.data.sequence_start
            refuseProperties(anchor: data.anchor, tag: data.tag, at: start, in: &tree)
            tree.beginSequence(at: start)
        case YAML_MAPPING_START_EVENT:
            let data = event.data.mapping_start
            refuseProperties(anchor: data.anchor, tag: data.tag, at: start, in: &tree)
            tree.beginMapping(at: start)
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: tree.end()
        default: break
        }
        return tree.isStopped ? .end : .more
    }

    private func scalar(_ event: yaml_event_t, at start: SourcePosition, into tree: inout TreeBuilder) {
        let data = event.data.scalar
        refuseProperties(anchor: data.anchor, tag: data.tag, at: start, in: &tree)
        let bytes = UnsafeBufferPointer(start: data.value, count: data.length)
        let style: YAMLScalar.Style =
            switch data.style {
            case YAML_SINGLE_QUOTED_SCALAR_STYLE, YAML_DOUBLE_QUOTED_SCALAR_STYLE: .quoted
            case YAML_LITERAL_SCALAR_STYLE, YAML_FOLDED_SCALAR_STYLE: .block
            default: .plain
            }
        let text = String(decoding: bytes, as: UTF8.self)
        let end = SourcePosition(event.end_mark)
        tree.add(YAMLScalar(text: text, style: style, from: start, to: end), at: start)
    }

    /// Tags could name types to be made, anchors let a small file stand for a huge one: manifests need neither.
    private func refuseProperties(
        anchor: UnsafeMutablePointer<yaml_char_t>?, tag: UnsafeMutablePointer<yaml_char_t>?, at start: SourcePosition,
        in tree: inout TreeBuilder
    ) {
        if let tag {
            tree.note(start, "the tag '\(text(tag))' is not allowed; every value here is a plain YAML one")
        }
        if let anchor {
            tree.note(start, "the anchor '&\(text(anchor))' is not allowed; write the value where it is needed")
        }
    }

    private func text(_ pointer: UnsafeMutablePointer<yaml_char_t>) -> String {
        short(String(cString: UnsafePointer(pointer)))
    }

    /// What stopped libyaml, in its words where ours do not say it better.
    /// - Parameter body: what was parsed.
    func problem(in body: UnsafeBufferPointer<UInt8>) -> YAMLProblem {
        let problem = parser.pointee.problem.map { String(cString: $0) } ?? "the text is not YAML"
        let context = parser.pointee.context.map { String(cString: $0) }
        let position = SourcePosition(parser.pointee.problem_mark)
        let culprit = SyntaxHint.scalar(at: parser.pointee.problem_mark.index, in: body)
        if let hint = SyntaxHint.message(problem: problem, context: context, at: culprit) {
            return YAMLProblem(position, hint)
        }
        return YAMLProblem(position, [context, problem].compactMap { $0 }.joined(separator: ": "))
    }
}

extension SourcePosition {
    init(_ mark: yaml_mark_t) {
        self.init(line: Int(clamping: mark.line) + 1, column: Int(clamping: mark.column) + 1)
    }
}
