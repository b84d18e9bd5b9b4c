@main
struct Nightjar {
    static func main() {}
}
