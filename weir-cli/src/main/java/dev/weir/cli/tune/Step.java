package dev.weir.cli.tune;

/** A step with a naive and a current version. {@code stage} is the name of its stage. */
enum Step {
    /** The naive version builds a tree of JSON nodes. The current version reads only the tokens. */
    JSON("parse JSON"),
    /** The naive version uses {@link java.net.URI}. The current version has its own parser. */
    URL("parse URL"),
    /**
     * The naive version is a translation of the JavaScript package lz-string, with a dictionary of strings. The current
     * version stores positions in the output.
     */
    LZ("decompress");

    final String stage;

    Step(String stage) {
        this.stage = stage;
    }
}
