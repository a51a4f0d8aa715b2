package dev.weir.examples.asimov;

/**
 * The end of an event that cannot be translated; every later step passes it on. Immutable.
 *
 * @param message for people, of bounded length
 */
public record Malformed(Reason reason, String message) implements Parsing, Locating, Unpacking, Translation {
    private static final int MAX_MESSAGE_CHARS = 500;

    /** Bounds the message. */
    public Malformed {
        message = message.length() <= MAX_MESSAGE_CHARS ? message : message.substring(0, MAX_MESSAGE_CHARS);
    }
}
