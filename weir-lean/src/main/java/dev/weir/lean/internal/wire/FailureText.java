package dev.weir.lean.internal.wire;

/** Describes exceptions in messages. Stateless. */
public final class FailureText {

    private FailureText() {}

    /** Returns the exception's message, or its type if it has none, such as a {@code ClosedChannelException}. */
    public static String of(Throwable thrown) {
        String message = thrown.getMessage();
        return message == null || message.isBlank() ? thrown.toString() : message;
    }
}
