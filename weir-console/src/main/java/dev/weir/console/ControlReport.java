package dev.weir.console;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The outcome of changes that were asked for together. Each is made or refused by itself. Immutable. */
public final class ControlReport {

    private final Values values;

    private ControlReport(Map<String, String> applied, List<Refusal> refused) {
        this.values = new Values(applied, refused);
    }

    /** For tests of code that reads one. */
    public static ControlReport of(Map<String, String> applied, List<Refusal> refused) {
        return new ControlReport(applied, refused);
    }

    /** The changes that were made, in the order in which they were asked for: key and value. */
    public Map<String, String> applied() {
        return values.applied;
    }

    /** The refused changes. */
    public List<Refusal> refused() {
        return values.refused;
    }

    /**
     * A change that was not made.
     *
     * @param key what was to be changed
     * @param value to what
     * @param reason why not, and the way out, for people
     */
    public record Refusal(String key, String value, String reason) {}

    /** Returns whether all changes were made. */
    public boolean accepted() {
        return values.refused.isEmpty();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ControlReport that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString().replaceFirst("Values", "ControlReport");
    }

    private record Values(Map<String, String> applied, List<Refusal> refused) {}
}
