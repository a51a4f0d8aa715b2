package dev.weir.examples.asimov;

/**
 * The final result of an event that cannot be translated. All later steps pass it on. Immutable.
 *
 * @param message human-readable, of bounded length
 */
public record Malformed(Reason reason, String message) implements Parsing, Locating, Unpacking, Translation {
    private static final int MAX_MESSAGE_CHARS = 500;

    /** Bounds the message. */
    public Malformed {
        message = message.length() <= MAX_MESSAGE_CHARS ? message : message.substring(0, MAX_MESSAGE_CHARS);
    }
}
