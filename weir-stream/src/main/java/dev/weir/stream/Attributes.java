package dev.weir.stream;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of a stage: name, dispatcher, buffer, supervision. Immutable; each method returns a changed copy. Null
 * or 0 means that the stage's own default holds.
 */
public final class Attributes {

    /** No attributes: the stage keeps all its defaults. */
    public static final Attributes NONE = new Attributes(null, null, 0, null);

    private final Values values;

    private Attributes(
            @Nullable String name, @Nullable Dispatcher dispatcher, int buffer, @Nullable Supervision supervision) {
        this.values = new Values(name, dispatcher, buffer, supervision);
    }

    /** The stage's name in snapshots and threads. */
    public @Nullable String name() {
        return values.name;
    }

    /** The dispatcher of the stage's own threads; for a boundary, where the segment above it runs. */
    public @Nullable Dispatcher dispatcher() {
        return values.dispatcher;
    }

    /** The number of elements the stage may hold, or 0. */
    public int buffer() {
        return values.buffer;
    }

    /** The supervision that decides about an element for which the stage's function throws. */
    public @Nullable Supervision supervision() {
        return values.supervision;
    }

    /** Attributes with this name. */
    public static Attributes named(String name) {
        return NONE.withName(name);
    }

    public Attributes withName(String newName) {
        return new Attributes(
                Objects.requireNonNull(newName, "name"), values.dispatcher, values.buffer, values.supervision);
    }

    public Attributes withDispatcher(Dispatcher newDispatcher) {
        return new Attributes(
                values.name, Objects.requireNonNull(newDispatcher, "dispatcher"), values.buffer, values.supervision);
    }

    /** See {@link #buffer()}; at least 1, or 0 for the stage's own default. */
    public Attributes withBuffer(int elements) {
        return new Attributes(values.name, values.dispatcher, elements, values.supervision);
    }

    public Attributes withSupervision(Supervision newSupervision) {
        return new Attributes(
                values.name, values.dispatcher, values.buffer, Objects.requireNonNull(newSupervision, "supervision"));
    }

    /** These attributes without the supervision, for a stage that applies one by itself. */
    Attributes withoutSupervision() {
        return new Attributes(values.name, values.dispatcher, values.buffer, null);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Attributes that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString().replaceFirst("Values", "Attributes");
    }

    private record Values(
            @Nullable String name,
            @Nullable Dispatcher dispatcher,
            int buffer,
            @Nullable Supervision supervision) {

        Values {
            if (name != null && name.isBlank()) {
                throw new IllegalArgumentException("a stage's name must not be blank");
            }
            if (buffer < 0) {
                throw new IllegalArgumentException("buffer must be at least 1, or 0 for the default: buffer=" + buffer);
            }
        }
    }
}
