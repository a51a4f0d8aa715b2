package dev.weir.examples.asimov;

import org.jspecify.annotations.Nullable;

/**
 * The four steps from an event's JSON to its message. Implementations are thread-safe.
 *
 * <p>Whatever the bytes are, a step gives a value and does not throw: the event one step further, or {@link Malformed},
 * which the later steps pass on.
 */
public interface AsimovSteps {

    /** Step 1: from the record's value to the event's fields. */
    Parsing parseJson(byte @Nullable [] value);

    /** Step 2: the URL and its query parameters. */
    Locating parseUrl(Parsing parsing);

    /** Step 3: the payload's text. */
    Unpacking decompress(Locating locating);

    /** Step 4: the message. */
    Translation encode(Unpacking unpacking);

    /** All four steps. */
    default Translation translate(byte @Nullable [] value) {
        return encode(decompress(parseUrl(parseJson(value))));
    }
}
