package dev.weir.console.profile;

import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Thrown if a process cannot be profiled; the message says why, and {@link #wayOut} what to do about it. */
public final class ProfileException extends IOException {

    private static final long serialVersionUID = 1;

    private final String wayOut;

    /**
     * Creates the exception.
     *
     * @param wayOut a sentence that says what to do
     */
    public ProfileException(String message, String wayOut, @Nullable Throwable cause) {
        super(Objects.requireNonNull(message, "message"), cause);
        this.wayOut = Objects.requireNonNull(wayOut, "wayOut");
    }

    /** A sentence that says what to do. */
    public String wayOut() {
        return wayOut;
    }
}
