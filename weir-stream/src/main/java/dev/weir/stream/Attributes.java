package dev.weir.stream;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What can be said of a stage beside what it does. Immutable; each method returns a changed copy. Null or 0 means that
 * the stage's own default holds.
 *
 * @param name the stage's name in snapshots and threads
 * @param dispatcher where the stage's own threads run; for a boundary, where the segment above it runs
 * @param buffer how many elements the stage may hold, or 0
 * @param supervision what happens to an element for which the stage's function throws
 */
public record Attributes(
        @Nullable String name,
        @Nullable Dispatcher dispatcher,
        int buffer,
        @Nullable Supervision supervision) {

    /** Attributes that say nothing. */
    public static final Attributes NONE = new Attributes(null, null, 0, null);

    /** Checks. */
    public Attributes {
        if (name != null && name.isBlank()) {
            throw new IllegalArgumentException("a stage's name must not be blank");
        }
        if (buffer < 0) {
            throw new IllegalArgumentException("buffer must be at least 1, or 0 for the default: buffer=" + buffer);
        }
    }

    /** Attributes with this name. */
    public static Attributes named(String name) {
        return NONE.withName(name);
    }

    public Attributes withName(String newName) {
        return new Attributes(Objects.requireNonNull(newName, "name"), dispatcher, buffer, supervision);
    }

    public Attributes withDispatcher(Dispatcher newDispatcher) {
        return new Attributes(name, Objects.requireNonNull(newDispatcher, "dispatcher"), buffer, supervision);
    }

    /** See {@link #buffer()}; at least 1, or 0 for the stage's own default. */
    public Attributes withBuffer(int elements) {
        return new Attributes(name, dispatcher, elements, supervision);
    }

    public Attributes withSupervision(Supervision newSupervision) {
        return new Attributes(name, dispatcher, buffer, Objects.requireNonNull(newSupervision, "supervision"));
    }

    /** These attributes where they say something, else those of {@code defaults}. */
    public Attributes over(Attributes defaults) {
        return new Attributes(
                name != null ? name : defaults.name,
                dispatcher != null ? dispatcher : defaults.dispatcher,
                buffer != 0 ? buffer : defaults.buffer,
                supervision != null ? supervision : defaults.supervision);
    }

    /** The name, which a stage of a blueprint always has. */
    public String requiredName() {
        return Objects.requireNonNull(name, "a stage without a name");
    }

    /** The dispatcher, or {@code otherwise} if none was named. */
    public Dispatcher dispatcherOr(Dispatcher otherwise) {
        return dispatcher != null ? dispatcher : otherwise;
    }

    /** The buffer, or {@code otherwise} if none was given. */
    public int bufferOr(int otherwise) {
        return buffer != 0 ? buffer : otherwise;
    }

    /** The supervision, which fails the stream if none was given. */
    public Supervision supervisionOrFail() {
        return supervision != null ? supervision : Supervision.fail();
    }
}
