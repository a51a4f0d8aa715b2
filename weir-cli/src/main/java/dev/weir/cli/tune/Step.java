package dev.weir.cli.tune;

/** A step of the example that has both naive and current code. {@code stage} is the name of its stage. */
enum Step {
    /** Naive: a tree of JSON nodes; current: only the tokens. */
    JSON("parse JSON"),
    /** Naive: {@code java.net.URI}; current: a custom parser. */
    URL("parse URL"),
    /** Naive: LZ-string as in JavaScript; current: positions in the output instead of a dictionary of strings. */
    LZ("decompress");

    final String stage;

    Step(String stage) {
        this.stage = stage;
    }
}
