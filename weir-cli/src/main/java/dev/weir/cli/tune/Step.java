package dev.weir.cli.tune;

/** A step of the example that has naive code and today's, named as its stage. */
enum Step {
    /** A tree of JSON nodes; today the tokens alone. */
    JSON("parse JSON"),
    /** {@code java.net.URI}; today a parser of its own. */
    URL("parse URL"),
    /** LZ-string as in JavaScript; today by positions in the output instead of a dictionary of strings. */
    LZ("decompress");

    final String stage;

    Step(String stage) {
        this.stage = stage;
    }
}
