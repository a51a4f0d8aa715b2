package dev.weir.console;

import java.util.List;
import java.util.Map;

/**
 * The outcome of changes that were asked for together. Each is made or refused by itself. Immutable.
 *
 * @param applied the changes that were made, in the order in which they were asked for: key and value
 * @param refused those that were not
 */
public record ControlReport(Map<String, String> applied, List<Refusal> refused) {

    /**
     * A change that was not made.
     *
     * @param key what was to be changed
     * @param value to what
     * @param reason why not, and the way out, for people
     */
    public record Refusal(String key, String value, String reason) {}

    /** Whether all changes were made. */
    public boolean accepted() {
        return refused.isEmpty();
    }
}
