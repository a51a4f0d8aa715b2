package dev.weir.console;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The outcome of a group of requested changes. Each change is applied or refused individually. Immutable. */
public final class ControlReport {

    private final Values values;

    private ControlReport(Map<String, String> applied, List<Refusal> refused) {
        this.values = new Values(applied, refused);
    }

    /** Creates a report, for tests of code that reads reports. */
    public static ControlReport of(Map<String, String> applied, List<Refusal> refused) {
        return new ControlReport(applied, refused);
    }

    /** The applied changes by key, in the order of the request. */
    public Map<String, String> applied() {
        return values.applied;
    }

    /** The refused changes. */
    public List<Refusal> refused() {
        return values.refused;
    }

    /**
     * A refused change.
     *
     * @param key the key of the setting
     * @param value the requested value
     * @param reason a text for the user that states the reason and the solution
     */
    public record Refusal(String key, String value, String reason) {}

    /** Returns whether all changes were applied. */
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
