package dev.weir.stream;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of a stage: its name, dispatcher, buffer and supervision. Immutable; each {@code with} method returns
 * a changed copy. A value of null or 0 means that the stage uses its own default.
 */
public final class Attributes {

    /** Attributes without any values. A stage with these attributes uses its defaults. */
    public static final Attributes NONE = new Attributes(null, null, 0, null);

    private final Values values;

    private Attributes(
            @Nullable String name, @Nullable Dispatcher dispatcher, int buffer, @Nullable Supervision supervision) {
        this.values = new Values(name, dispatcher, buffer, supervision);
    }

    /** The stage's name in snapshots and thread names. */
    public @Nullable String name() {
        return values.name;
    }

    /** The dispatcher of the stage's own threads, or of the stages upstream of an asynchronous boundary. */
    public @Nullable Dispatcher dispatcher() {
        return values.dispatcher;
    }

    /** The maximum number of elements that the stage may hold, or 0 for the stage's default. */
    public int buffer() {
        return values.buffer;
    }

    /** Decides what happens to an element if the stage's function throws for it. */
    public @Nullable Supervision supervision() {
        return values.supervision;
    }

    /** Creates attributes that set only the name. */
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

    /**
     * Sets the {@link #buffer() buffer} size.
     *
     * @param elements at least 1, or 0 for the stage's own default; parallel stages use at most 1,048,576
     */
    public Attributes withBuffer(int elements) {
        return new Attributes(values.name, values.dispatcher, elements, values.supervision);
    }

    public Attributes withSupervision(Supervision newSupervision) {
        return new Attributes(
                values.name, values.dispatcher, values.buffer, Objects.requireNonNull(newSupervision, "supervision"));
    }

    /** Returns a copy without the supervision, for a stage that applies the supervision itself. */
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
