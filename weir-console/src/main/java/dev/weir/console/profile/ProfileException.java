package dev.weir.console.profile;

import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A process cannot be profiled; the message says why, {@link #wayOut} what to do about it. */
public final class ProfileException extends IOException {

    private static final long serialVersionUID = 1;

    private final String wayOut;

    /**
     * Creates one.
     *
     * @param wayOut a sentence for people
     */
    public ProfileException(String message, String wayOut, @Nullable Throwable cause) {
        super(Objects.requireNonNull(message, "message"), cause);
        this.wayOut = Objects.requireNonNull(wayOut, "wayOut");
    }

    /** The way out. */
    public String wayOut() {
        return wayOut;
    }
}
