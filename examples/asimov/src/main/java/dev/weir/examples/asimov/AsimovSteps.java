package dev.weir.examples.asimov;

import org.jspecify.annotations.Nullable;

/**
 * The four steps that translate an event from JSON to a Protobuf message. Implementations are thread-safe.
 *
 * <p>A step never throws, whatever its input. It returns either its result or {@link Malformed}, which later steps
 * return unchanged.
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
