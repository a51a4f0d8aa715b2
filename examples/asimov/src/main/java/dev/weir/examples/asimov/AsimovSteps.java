package dev.weir.examples.asimov;

import org.jspecify.annotations.Nullable;

/**
 * The four steps from an event's JSON to its message. Implementations are thread-safe.
 *
 * <p>Whatever the bytes are, a step returns a value and does not throw. It returns the event after the step, or
 * {@link Malformed}, which the later steps pass on.
 */
public interface AsimovSteps {

    /** Step 1: parses the record's value into the event's fields. */
    Parsing parseJson(byte @Nullable [] value);

    /** Step 2: parses the URL and its query parameters. */
    Locating parseUrl(Parsing parsing);

    /** Step 3: decompresses the payload's text. */
    Unpacking decompress(Locating locating);

    /** Step 4: encodes the message. */
    Translation encode(Unpacking unpacking);

    /** Runs all four steps. */
    default Translation translate(byte @Nullable [] value) {
        return encode(decompress(parseUrl(parseJson(value))));
    }
}
