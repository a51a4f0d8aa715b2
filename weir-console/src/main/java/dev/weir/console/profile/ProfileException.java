package dev.weir.console.profile;

import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Thrown if a process cannot be profiled. The message states the reason, and {@link #wayOut} the solution. */
public final class ProfileException extends IOException {

    private static final long serialVersionUID = 1;

    private final String wayOut;

    /**
     * Creates the exception.
     *
     * @param wayOut a sentence that tells the user what to do
     */
    public ProfileException(String message, String wayOut, @Nullable Throwable cause) {
        super(Objects.requireNonNull(message, "message"), cause);
        this.wayOut = Objects.requireNonNull(wayOut, "wayOut");
    }

    /** A sentence that tells the user what to do. */
    public String wayOut() {
        return wayOut;
    }
}
