package planted.stream.internal;

import java.io.IOException;

/** Puts a message that may be null into a text. */
final class Quotes {
    String quote(IOException failure) {
        return "failed: " + failure.getMessage();
    }
}
